import type { Context } from './context.js';
import { dropUnattached, sweepFiles } from './media/sweep.js';
import { purgeTokens } from './oauth/purge.js';
import { purgeIdempotencyKeys } from './platform/idempotency.js';
import { purgeSignInFailures } from './stores/sign-in.js';
import { purgeEvents } from './webhooks/purge.js';
import { DELIVERY_CHANNEL } from './webhooks/wake.js';

interface Job {
  name: string;
  everyMs: number;
  run(context: Context): Promise<void>;
}

const TEN_SECONDS = 10 * 1000;
const TEN_MINUTES = 10 * 60 * 1000;

/** Every background job, listed, beside the deliveries. Each may run in any number of processes at once. */
const JOBS: Job[] = [
  {
    name: 'purge idempotency keys',
    everyMs: TEN_MINUTES,
    run: ({ db, clock }) => purgeIdempotencyKeys(db, clock),
  },
  {
    name: 'drop unattached uploads',
    everyMs: TEN_MINUTES,
    run: ({ db, clock }) => dropUnattached(db, clock),
  },
  {
    name: 'sweep files',
    everyMs: TEN_SECONDS,
    run: ({ db, clock, storage }) => sweepFiles(db, clock, storage),
  },
  { name: 'purge events', everyMs: TEN_MINUTES, run: ({ db, clock }) => purgeEvents(db, clock) },
  { name: 'purge sessions', everyMs: TEN_MINUTES, run: ({ sessions }) => sessions.purge() },
  {
    name: 'purge sign-in failures',
    everyMs: TEN_MINUTES,
    run: ({ db, clock }) => purgeSignInFailures(db, clock),
  },
  { name: 'purge tokens', everyMs: TEN_MINUTES, run: ({ db, clock }) => purgeTokens(db, clock) },
  { name: 'purge upload spends', everyMs: TEN_MINUTES, run: ({ dailyUploads }) => dailyUploads.purge() },
];

export interface Worker {
  /** A job under way is waited for. */
  stop(): Promise<void>;
}

export function startWorker(context: Context): Worker {
  const { dispatcher, listener } = context;
  listener.on(DELIVERY_CHANNEL, () => dispatcher.wake());
  dispatcher.start();
  const running = new Set<Promise<void>>();
  const timers = JOBS.map((job) =>
    setInterval(() => {
      const run = job
        .run(context)
        .catch((error: unknown) => context.log.error({ err: error, job: job.name }, 'job failed'))
        .finally(() => running.delete(run));
      running.add(run);
    }, job.everyMs),
  );
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all([...running, dispatcher.stop()]);
    },
  };
}
