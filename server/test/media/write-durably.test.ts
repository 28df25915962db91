import fs, { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { IncompleteUpload, writeDurably } from '../../src/media/write-durably.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'feira-durable-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('an upload that ends while its file is being opened leaves no file behind', async () => {
  const source = new Readable({ read() {} });
  let hasOpened = () => {};
  const opened = new Promise<void>((resolve) => {
    hasOpened = resolve;
  });
  const open = ((
    path: string,
    flags: string,
    mode: number,
    done: (error: Error | null, fd: number) => void,
  ) => {
    source.destroy(new Error('disconnected'));
    source.once('close', async () => {
      // Long enough for a removal that does not wait until the file is open.
      for (let time = 0; time < 20; time++) await stat(folder);
      fs.open(path, flags, mode, (error, fd) => {
        done(error, fd);
        hasOpened();
      });
    });
  }) as typeof fs.open;
  const written = writeDurably(join(folder, 'image'), source, (path, options) =>
    fs.createWriteStream(path, { ...options, fs: { ...fs, open } }),
  );
  await expect(written).rejects.toBeInstanceOf(IncompleteUpload);
  await opened;
  expect(readdirSync(folder)).toEqual([]);
});
