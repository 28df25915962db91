import { expect, test } from 'vitest';
import { createLog } from '../../../src/platform/observability/log.js';
import { TerminalLines } from '../../../src/platform/observability/terminal-lines.js';

function terminal() {
  const lines: string[] = [];
  const plain = (text: string) => text.replace(/\u001b\[\d+m/g, '').replace(/^\d\d:\d\d:\d\d {2}/, '');
  return { lines, stream: new TerminalLines({ write: (text: string) => lines.push(plain(text)) }) };
}

function request(path: string, status: number): string {
  return JSON.stringify({
    level: 'info',
    time: new Date().toISOString(),
    method: 'GET',
    path,
    status,
    ms: 3.2,
    msg: 'request',
  });
}

test('a request is one short line, and requests for assets are shown only if they fail', () => {
  const { lines, stream } = terminal();
  stream.write(request('/api/v1/products', 200));
  stream.write(request('/assets/feira.css', 200));
  stream.write(request('/assets/missing.css', 404));
  expect(lines).toEqual(['200  GET    /api/v1/products  3 ms\n', '404  GET    /assets/missing.css  3 ms\n']);
});

test('an error is shown with its stack', () => {
  const { lines, stream } = terminal();
  createLog('info', stream).error({ requestId: 'r-1', err: new Error('disk full') }, 'request failed');
  expect(lines.join('')).toMatch(/^error {2}request failed {2}requestId=r-1\nError: disk full\n\s+at /);
});
