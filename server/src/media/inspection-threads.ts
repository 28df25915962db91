import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ImageType } from './image-types.js';
import type { Inspected } from './inspect.js';

/** The slowest valid file, a GIF of ten megabytes, takes 0.3 s. */
const DEADLINE_MS = 5_000;

/**
 * Inspects files outside the event loop, because walking through megabytes takes hundreds of milliseconds. A thread
 * that exceeds the deadline is terminated and the file is rejected. There is one thread per concurrent caller; the
 * caller limits their number.
 */
export class InspectionThreads {
  private readonly idle: Worker[] = [];

  constructor(private readonly deadlineMs = DEADLINE_MS) {}

  async inspect(bytes: Buffer, type: ImageType): Promise<Inspected> {
    const thread = this.idle.pop() ?? startThread();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.deadlineMs);
    thread.ref();
    try {
      thread.postMessage({ bytes, type });
      // Rejects with what the thread throws, because `once` listens to its errors too.
      const [inspected] = (await once(thread, 'message', { signal: deadline.signal })) as [Inspected];
      // An idle thread does not keep the process alive.
      thread.unref();
      this.idle.push(thread);
      return inspected;
    } catch (error) {
      await thread.terminate();
      if (!deadline.signal.aborted) throw error;
      return { fault: 'checking it takes too long' };
    } finally {
      clearTimeout(timer);
    }
  }
}

function startThread(): Worker {
  return new Worker(new URL('inspect-thread.js', COMPILED));
}

/** Tests load the TypeScript sources, but a thread needs the JavaScript that the build has put into dist/. */
const COMPILED = import.meta.url.replace(/\/src\/media\/[^/]+\.ts$/, '/dist/media/');
