import { purgeSignInFailures } from './accounts/sign-in.js';
import { purgeSignUps } from './accounts/sign-up.js';
import { purgeReservations } from './checkout/limits.js';
import type { Context } from './context.js';
import { purgeEpochs, rotatePartitions } from './events/retention.js';
import { dropUnattached, sweepFiles } from './media/sweep.js';
import { purgeTokens } from './oauth/purge.js';
import { expireUnpaid } from './orders/life.js';
import { finishRefunds } from './orders/refund.js';
import { purgeNotifications } from './payments/notifications.js';
import type { Database } from './platform/db/database.js';
import type { Share } from './platform/db/share.js';
import { purgeIdempotencyKeys } from './platform/http/idempotency-keys.js';
import { dropBacklogs } from './webhooks/backlog.js';
import { resealWebhookSecrets } from './webhooks/reseal.js';
import { DELIVERY_CHANNEL } from './webhooks/wake.js';

interface Job {
  name: string;
  everyMs: number;
  run(context: Context): Promise<void>;
}

const TEN_SECONDS = 10 * 1000;
const ONE_MINUTE = 60 * 1000;
const TEN_MINUTES = 10 * 60 * 1000;

/** Every background job, listed, beside the deliveries. Each may run in any number of processes at once. */
const JOBS: Job[] = [
  every(TEN_SECONDS, 'expire unpaid orders', ({ db, clock }) => expireUnpaid(db, clock)),
  every(TEN_SECONDS, 'sweep files', ({ db, clock, storage }) => sweepFiles(housekeeping(db), clock, storage)),
  every(TEN_MINUTES, 'drop unattached uploads', ({ db, clock }) => dropUnattached(housekeeping(db), clock)),
  every(TEN_MINUTES, 'rotate partitions', ({ db, clock }) => rotatePartitions(housekeeping(db), clock)),
  every(TEN_MINUTES, 'purge epochs', ({ db, clock }) => purgeEpochs(housekeeping(db), clock)),
  every(ONE_MINUTE, 'drop backlogs', ({ db, clock }) => dropBacklogs(housekeeping(db), clock)),
  // A round ends after 20 seconds. At 1,000 keys a second, ten minutes are more than one round deletes on a slow disk.
  every(ONE_MINUTE, 'purge idempotency keys', ({ db, clock }) =>
    purgeIdempotencyKeys(housekeeping(db), clock),
  ),
  every(TEN_MINUTES, 'purge notifications', ({ db, clock }) => purgeNotifications(housekeeping(db), clock)),
  every(TEN_MINUTES, 'purge checkout reservations', ({ db, clock }) =>
    purgeReservations(housekeeping(db), clock),
  ),
  every(TEN_MINUTES, 'purge sessions', ({ db, sessions }) => sessions.purge(housekeeping(db))),
  every(TEN_MINUTES, 'purge sign-in failures', ({ db, clock }) =>
    purgeSignInFailures(housekeeping(db), clock),
  ),
  every(TEN_MINUTES, 'purge sign-ups', ({ db, clock }) => purgeSignUps(housekeeping(db), clock)),
  every(TEN_MINUTES, 'purge tokens', ({ db, clock }) => purgeTokens(housekeeping(db), clock)),
  every(TEN_MINUTES, 'reseal webhook secrets', ({ db, seal }) =>
    resealWebhookSecrets(housekeeping(db), seal),
  ),
  every(TEN_MINUTES, 'purge upload spends', ({ dailyUploads }) => dailyUploads.purge()),
];

/** Every job of a process: without a payment gateway there is nothing to ask it. */
export function jobsOf({ gateway, sandbox }: Context): Job[] {
  return [
    ...JOBS,
    ...(gateway
      ? [every(TEN_SECONDS, 'finish refunds', ({ db, clock }) => finishRefunds(db, clock, gateway))]
      : []),
    ...(sandbox ? [every(TEN_SECONDS, 'send payment notifications', () => sandbox.tell())] : []),
  ];
}

function housekeeping(db: Database): Share {
  return db.background('housekeeping');
}

function every(everyMs: number, name: string, run: Job['run']): Job {
  return { name, everyMs, run };
}

export interface Worker {
  /** A job under way is waited for. */
  stop(): Promise<void>;
}

export function startWorker(context: Context): Worker {
  const { dispatcher, sequencer, listener } = context;
  listener.on(DELIVERY_CHANNEL, () => {
    sequencer.wake();
    dispatcher.wake();
  });
  sequencer.start();
  dispatcher.start();
  const running = new Map<Job, Promise<void>>();
  const timers = jobsOf(context).map((job) =>
    setInterval(() => {
      // One round that takes long is not joined by the next: both would work on the same.
      if (running.has(job)) return;
      const run = job
        .run(context)
        .catch((error: unknown) => context.log.error({ err: error, job: job.name }, 'job failed'))
        .finally(() => running.delete(job));
      running.set(job, run);
    }, job.everyMs),
  );
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all([...running.values(), sequencer.stop(), dispatcher.stop()]);
    },
  };
}
