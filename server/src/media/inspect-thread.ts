import { parentPort } from 'node:worker_threads';
import type { ImageType } from './image-types.js';
import { inspect } from './inspect.js';

/** The code of the threads of `InspectionThreads`. Each message contains one file and is answered with one result. */
parentPort?.on('message', ({ bytes, type }: { bytes: Uint8Array; type: ImageType }) => {
  parentPort?.postMessage(inspect(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), type));
});
