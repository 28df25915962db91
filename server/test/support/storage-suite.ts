import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { SignedPut, Storage } from '../../src/media/storage.js';
import { newId } from '../../src/platform/schema/ids.js';
import { until } from './process.js';
import { rawPut, rawRequest } from './raw-put.js';

export interface StorageUnderTest {
  storage: Storage;
  /** Maps a signed URL to an address that the test can reach. */
  reach(url: string): string;
  /** Returns a signed URL that has expired. */
  expired(upload: SignedPut): Promise<string>;
  /** Returns the names of all files in the storage. */
  names(): Promise<string[]>;
}

const BYTES = randomBytes(3_000);

/** Tests the behavior that all kinds of storage must have in common. */
export function describeStorage(kind: string, under: () => StorageUnderTest): void {
  const newUpload = (over: Partial<SignedPut> = {}): SignedPut => ({
    key: `product_images/${newId()}/${randomBytes(16).toString('base64url')}.png`,
    contentType: 'image/png',
    contentLength: BYTES.length,
    ...over,
  });
  const sign = async (upload: SignedPut) => under().reach(await under().storage.signPut(upload));
  const staged = (upload: SignedPut) => under().storage.readStaged(upload.key);
  const namesOf = async ({ key }: SignedPut) => (await under().names()).filter((name) => name.includes(key));

  async function expectRejected(
    upload: SignedPut,
    answer: { status: number; body: string },
    code = 'SignatureDoesNotMatch',
  ): Promise<void> {
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining(`<Code>${code}</Code>`) });
    expect(await staged(upload)).toBeUndefined();
  }

  describe(`a signed address of the ${kind}`, () => {
    test('accepts files with the declared type and length, more than once', async () => {
      const upload = newUpload();
      const url = await sign(upload);
      expect(await rawPut(url, 'image/png', BYTES)).toMatchObject({ status: 200, body: '' });
      expect(await staged(upload)).toEqual(BYTES);
      const other = randomBytes(BYTES.length);
      expect((await rawPut(url, 'image/png', other)).status).toBe(200);
      expect(await staged(upload)).toEqual(other);
    });

    test('accepts the largest file that may be uploaded', async () => {
      const largest = randomBytes(10_485_760);
      const upload = newUpload({ contentLength: largest.length });
      expect((await rawPut(await sign(upload), 'image/png', largest)).status).toBe(200);
      expect((await staged(upload))!.equals(largest)).toBe(true);
    });

    test.each(['image/jpeg', 'image/PNG', 'image/png; charset=utf-8', 'text/html', 'image', 'a b c'])(
      'rejects the type %s',
      async (type) => {
        const upload = newUpload();
        await expectRejected(upload, await rawPut(await sign(upload), type, BYTES));
      },
    );

    test('rejects a file without a type', async () => {
      const upload = newUpload();
      const headers = { 'Content-Length': String(BYTES.length) };
      await expectRejected(upload, await rawRequest('PUT', await sign(upload), headers, BYTES));
    });

    test.each([-1, 1])('rejects a body whose length differs from the signed one by %i', async (by) => {
      const upload = newUpload();
      const bytes = Buffer.concat([BYTES, BYTES]).subarray(0, BYTES.length + by);
      await expectRejected(upload, await rawPut(await sign(upload), 'image/png', bytes));
    });

    test('rejects an empty body', async () => {
      const upload = newUpload();
      await expectRejected(upload, await rawPut(await sign(upload), 'image/png', Buffer.alloc(0)));
    });

    test('rejects a chunked body, which declares no length', async () => {
      const upload = newUpload();
      const headers = { 'Content-Type': 'image/png', 'Transfer-Encoding': 'chunked' };
      await expectRejected(upload, await rawRequest('PUT', await sign(upload), headers, BYTES));
    });

    test('rejects another key', async () => {
      const [one, other] = [newUpload(), newUpload()];
      const url = (await sign(one)).replace(one.key, other.key);
      expect(url).toContain(other.key);
      await expectRejected(other, await rawPut(url, 'image/png', BYTES));
    });

    test.each(['POST', 'DELETE'])('rejects the method %s', async (method) => {
      const upload = newUpload();
      const headers = { 'Content-Type': 'image/png', 'Content-Length': String(BYTES.length) };
      await expectRejected(upload, await rawRequest(method, await sign(upload), headers, BYTES));
    });

    test('does not return the uploaded file', async () => {
      const upload = newUpload();
      const url = await sign(upload);
      await rawPut(url, 'image/png', BYTES);
      const answer = await rawRequest('GET', url, { 'Content-Type': 'image/png' });
      expect(answer).toMatchObject({
        status: 403,
        body: expect.stringContaining('<Code>SignatureDoesNotMatch</Code>'),
      });
      expect((await rawRequest('HEAD', url, {})).status).toBe(403);
    });

    test('rejects a signature with one changed character', async () => {
      const upload = newUpload();
      const url = await sign(upload);
      // The signature is hexadecimal or base64url, depending on the storage. `a` and `b` are valid in both.
      const flipped = url.replace(
        /(signature=)(.)/i,
        (_all, name, first) => name + (first === 'a' ? 'b' : 'a'),
      );
      expect(flipped).not.toBe(url);
      await expectRejected(upload, await rawPut(flipped, 'image/png', BYTES));
    });

    test('rejects a changed expiry', async () => {
      const upload = newUpload();
      const url = await sign(upload);
      const raised = url.replace(/(expires=)(\d+)/i, (_all, name, time) => name + (Number(time) + 3_600));
      expect(raised).not.toBe(url);
      await expectRejected(upload, await rawPut(raised, 'image/png', BYTES));
    });

    test('rejects a file after the address has expired', async () => {
      const upload = newUpload();
      const url = under().reach(await under().expired(upload));
      await expectRejected(upload, await rawPut(url, 'image/png', BYTES), 'AccessDenied');
    });

    test('stores no byte beyond the signed length', async () => {
      const upload = newUpload();
      await sendAndEnd(await sign(upload), Buffer.concat([BYTES, randomBytes(1_000)]), BYTES.length);
      expect([undefined, BYTES]).toContainEqual(await staged(upload));
    });

    test('keeps nothing of an interrupted upload', async () => {
      const upload = newUpload();
      await sendAndEnd(await sign(upload), BYTES.subarray(0, BYTES.length - 1), BYTES.length);
      await until(async () => (await namesOf(upload)).length === 0);
      expect(await staged(upload)).toBeUndefined();
    });

    test('keeps the existing file when a second upload is interrupted', async () => {
      const upload = newUpload();
      const url = await sign(upload);
      await rawPut(url, 'image/png', BYTES);
      await sendAndEnd(url, randomBytes(BYTES.length - 1), BYTES.length);
      await until(async () => (await namesOf(upload)).length === 1);
      expect(await staged(upload)).toEqual(BYTES);
    });
  });

  describe(`the ${kind}`, () => {
    test('keeps staged and published files separate, and removes both', async () => {
      const { storage } = under();
      const upload = newUpload();
      await rawPut(await sign(upload), 'image/png', BYTES);
      expect((await namesOf(upload)).length).toBe(1);
      await storage.publish(upload.key, BYTES, 'image/png');
      expect((await namesOf(upload)).length).toBe(2);
      await storage.removeStaged(upload.key);
      expect(await storage.readStaged(upload.key)).toBeUndefined();
      expect((await namesOf(upload)).length).toBe(1);
      await storage.remove(upload.key);
      expect(await namesOf(upload)).toEqual([]);
    });

    test('removes a missing file without an error, and passes its own `check`', async () => {
      const { storage } = under();
      const { key } = newUpload();
      await storage.removeStaged(key);
      await storage.remove(key);
      await storage.check();
      expect(await storage.readStaged(key)).toBeUndefined();
    });
  });
}

/**
 * Sends a PUT that declares this length but contains exactly these bytes. If they are fewer than declared, the
 * connection is closed as soon as they are sent, otherwise after the response.
 */
async function sendAndEnd(url: string, bytes: Buffer, declared: number): Promise<void> {
  const { hostname, port, pathname, search, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: image/png\r\nContent-Length: ${declared}\r\n\r\n`;
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    if (bytes.length >= declared) socket.once('data', () => socket.destroy());
    socket.write(Buffer.concat([Buffer.from(head), bytes]), () => {
      if (bytes.length < declared) socket.end();
    });
    socket.resume();
  });
}
