import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ImageType } from './image-types.js';
import type { Inspected } from './inspect.js';

/** The slowest valid file, a GIF of ten megabytes, takes 0.3 s. */
const DEADLINE_MS = 5_000;

/**
 * Inspects files in worker threads, because a large file takes hundreds of milliseconds and would block the event loop.
 * A thread that exceeds the deadline is terminated and the file is rejected. There is one thread per concurrent call;
 * callers limit the number of calls.
 */
export class InspectionThreads {
  private readonly idle: Worker[] = [];

  constructor(private readonly deadlineMs = DEADLINE_MS) {}

  /** Returns 'late' if the deadline was exceeded. */
  async inspect(bytes: Buffer, type: ImageType): Promise<Inspected | 'late'> {
    const thread = this.idle.pop() ?? startThread();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.deadlineMs);
    thread.ref();
    try {
      thread.postMessage({ bytes, type });
      // An error in the thread rejects this promise, because `once` also listens for error events.
      const [inspected] = (await once(thread, 'message', { signal: deadline.signal })) as [Inspected];
      // An idle thread does not keep the process alive.
      thread.unref();
      this.idle.push(thread);
      return inspected;
    } catch (error) {
      await thread.terminate();
      if (!deadline.signal.aborted) throw error;
      return 'late';
    } finally {
      clearTimeout(timer);
    }
  }
}

function startThread(): Worker {
  return new Worker(new URL('inspect-thread.js', COMPILED));
}

/**
 * A thread needs the JavaScript that the build has put into dist/, even if the TypeScript sources are running, as in
 * tests.
 */
const COMPILED = import.meta.url.replace(/\/src\/media\/[^/]+\.ts$/, '/dist/media/');
