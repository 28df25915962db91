import { parentPort } from 'node:worker_threads';
import type { ImageType } from './image-types.js';
import { inspect } from './inspect.js';

/** The entry point of the threads of `InspectionThreads`: one file in, one result out. */
parentPort?.on('message', ({ bytes, type }: { bytes: Uint8Array; type: ImageType }) => {
  parentPort?.postMessage(inspect(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), type));
});
