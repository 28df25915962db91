import { expect, test } from 'vitest';
import { type ImageType, MAX_BYTES } from '../../src/media/image-types.js';
import { emptyParts, gifBomb, jpegOfFrames, pngBomb } from '../support/bombs.js';
import { newProduct } from '../support/catalog.js';
import { EventLoopGuard } from '../support/event-loop-guard.js';
import { openFeira } from '../support/feira.js';
import { picture, pngOf } from '../support/images.js';
import { upload, uploadAndAttach } from '../support/media.js';

// ../event-loop.long.test.ts covers requests without images and explains the measurement. Images are inspected in
// another thread, so the event loop only reads up to ten megabytes from the storage and passes them on.
const BUDGET_MS = 50;

/** Inserts copies of `part` after the first `at` bytes of `image`, up to the maximum size of an upload. */
function filled(image: Buffer, at: number, part: Buffer): Buffer {
  const room = MAX_BYTES - image.length;
  const parts = Buffer.alloc(room - (room % part.length), part);
  return Buffer.concat([image.subarray(0, at), parts, image.subarray(at)]);
}

async function hostileImages(): Promise<[name: string, type: ImageType, bytes: Buffer][]> {
  const jpeg = await picture().jpeg().toBuffer();
  const scan = jpeg.subarray(jpeg.indexOf(Buffer.from([0xff, 0xda])), jpeg.length - 2);
  const png = pngBomb(8, 8);
  const webp = await picture().webp().toBuffer();
  const riff = filled(webp, webp.length, Buffer.from('XXXX\0\0\0\0', 'latin1'));
  riff.writeUInt32LE(riff.length - 8, 4);
  const gif = gifBomb(1, 1);
  return [
    ['a JPEG of frames', 'image/jpeg', jpegOfFrames(50_000, 1)],
    ['a JPEG of empty comments', 'image/jpeg', filled(jpeg, 2, Buffer.from([0xff, 0xfe, 0, 2]))],
    ['a JPEG of fill bytes', 'image/jpeg', filled(jpeg, 2, Buffer.from([0xff]))],
    ['a JPEG of scans', 'image/jpeg', filled(jpeg, jpeg.length - 2, scan)],
    ['a JPEG of restart markers', 'image/jpeg', filled(jpeg, jpeg.length - 2, Buffer.from([0xff, 0xd0]))],
    ['a PNG of empty chunks', 'image/png', filled(png, 33, emptyParts(1))],
    ['a GIF of frames', 'image/gif', gifBomb(1, 1, 500_000)],
    ['a GIF of empty extensions', 'image/gif', filled(gif, 19, Buffer.from([0x21, 0xfe, 0]))],
    ['a WebP of empty chunks', 'image/webp', riff],
  ];
}

test('no hostile image uses more than 50 ms of CPU time on the event loop', async () => {
  const feira = await openFeira();
  const store = await feira.store();
  const productId = await newProduct(store);
  // The first image starts the inspection thread, so it is attached before the measurement.
  expect((await uploadAndAttach(feira, store, productId, await pngOf(1))).status).toBe(201);
  const guard = new EventLoopGuard(feira, BUDGET_MS);
  const headers = { authorization: `Bearer ${store.token}`, 'content-type': 'application/json' };
  for (const [name, type, bytes] of await hostileImages()) {
    const key = await upload(feira, store, productId, bytes, type);
    const request = { method: 'POST' as const, url: `/api/v1/products/${productId}/images`, headers };
    await guard.measure(name, { ...request, payload: JSON.stringify({ key }) }, [401, 403, 404, 413]);
  }
  guard.expectNoneTooSlow();
  await feira.close();
});
