import { parentPort } from 'node:worker_threads';
import type { ImageType } from './image-types.js';
import { inspect } from './inspect.js';

/** The code that runs in the threads of `InspectionThreads`. Each message contains a file. The reply is the result. */
parentPort?.on('message', ({ bytes, type }: { bytes: Uint8Array; type: ImageType }) => {
  parentPort?.postMessage(inspect(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), type));
});
