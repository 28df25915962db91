import type { DestinationStream } from 'pino';

interface Entry {
  level: string;
  time: string;
  msg: string;
  method?: string;
  path?: string;
  status?: number;
  ms?: number;
  err?: { stack?: string; message?: string };
  [field: string]: unknown;
}

// Matches health checks and requests for metrics or the files of a page. In a terminal they would hide the requests
// that matter.
const UNINTERESTING = /^\/(assets\/|media\/|favicon\.ico|healthz|readyz|metrics)/;
const DIM = '\u001b[2m';
const RED = '\u001b[31m';
const YELLOW = '\u001b[33m';
const RESET = '\u001b[0m';

/** Formats log lines for a terminal: one short line per request, and the stack of an error below its message. */
export class TerminalLines implements DestinationStream {
  constructor(private readonly out: { write(text: string): unknown }) {}

  write(line: string): void {
    const entry = JSON.parse(line) as Entry;
    const text = entry.msg === 'request' ? requestLine(entry) : messageLine(entry);
    if (text !== undefined) this.out.write(`${DIM}${clockTime(entry.time)}${RESET}  ${text}\n`);
  }
}

function requestLine({ method = '', path = '', status = 0, ms = 0 }: Entry): string | undefined {
  if (status < 400 && UNINTERESTING.test(path)) return undefined;
  const color = status >= 500 ? RED : status >= 400 ? YELLOW : '';
  return `${color}${status}${RESET}  ${method.padEnd(6)} ${path}  ${DIM}${Math.round(ms)} ms${RESET}`;
}

function messageLine({ level, msg, time, err, ...fields }: Entry): string {
  const color = level === 'error' || level === 'fatal' ? RED : level === 'warn' ? YELLOW : '';
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
  const stack = err ? `\n${err.stack ?? err.message ?? ''}` : '';
  return `${color}${level}${RESET}  ${msg}${rest.length > 0 ? `  ${DIM}${rest.join(' ')}${RESET}` : ''}${stack}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The time of day in the time zone of this machine. */
function clockTime(time: string): string {
  return new Date(time).toTimeString().slice(0, 8);
}
