import type { Logger } from 'pino';
import { purgeSessions } from './accounts/sessions.js';
import { purgeSignInFailures } from './accounts/sign-in.js';
import { purgeSignUps } from './accounts/sign-up.js';
import { purgeReservations } from './checkout/limits.js';
import { DELIVERY_CHANNEL, EVENT_CHANNEL } from './events/channels.js';
import { purgeEpochs, rotatePartitions } from './events/retention.js';
import type { Sequencer } from './events/sequencer.js';
import type { Storage } from './media/storage.js';
import { dropUnattached, sweepFiles } from './media/sweep.js';
import { purgeTokens } from './oauth/purge.js';
import { purgeRefreshAnswers } from './oauth/refresh-answers.js';
import { expireUnpaid } from './orders/lifecycle.js';
import { finishRefunds } from './orders/refund.js';
import type { PaymentGateway } from './payments/gateway.js';
import type { SandboxGateway } from './payments/sandbox/gateway.js';
import { purgeUploadSpends } from './platform/budgets/daily-uploads.js';
import type { Clock } from './platform/clock.js';
import type { Seal } from './platform/crypto/seal.js';
import type { Database } from './platform/db/database.js';
import type { Listener } from './platform/db/listen.js';
import { purgeIdempotencyKeys } from './platform/http/idempotency-keys.js';
import { dropBacklogs } from './webhooks/backlog.js';
import type { Dispatcher } from './webhooks/dispatcher.js';
import { resealWebhookSecrets } from './webhooks/reseal.js';

export interface JobServices {
  db: Database;
  clock: Clock;
  storage: Storage;
  seal: Seal;
  /** Undefined if PAYMENT_GATEWAY is none. */
  gateway: PaymentGateway | undefined;
  /** The same gateway, if it is the sandbox. A job sends its notifications. */
  sandbox: SandboxGateway | undefined;
}

export interface WorkerOptions {
  log: Logger;
  listener: Listener;
  sequencer: Sequencer;
  dispatcher: Dispatcher;
  jobs: JobServices;
}

interface Job {
  name: string;
  everyMs: number;
  run(): Promise<void>;
}

const TEN_SECONDS = 10 * 1000;
const ONE_MINUTE = 60 * 1000;
const TEN_MINUTES = 10 * 60 * 1000;

/** Lists the background jobs that run at intervals. Several processes may run the same job at the same time. */
export function listJobs({ db, clock, storage, seal, gateway, sandbox }: JobServices): Job[] {
  const housekeeping = db.background('housekeeping');
  return [
    every(TEN_SECONDS, 'expire unpaid orders', () => expireUnpaid(db, clock)),
    every(TEN_SECONDS, 'sweep files', () => sweepFiles(housekeeping, clock, storage)),
    every(TEN_MINUTES, 'drop unattached uploads', () => dropUnattached(housekeeping, clock)),
    every(TEN_MINUTES, 'rotate partitions', () => rotatePartitions(housekeeping, clock)),
    every(TEN_MINUTES, 'purge epochs', () => purgeEpochs(housekeeping, clock)),
    every(ONE_MINUTE, 'drop backlogs', () => dropBacklogs(housekeeping, clock)),
    // Every minute, because a run deletes keys for at most 20 seconds, which is too short for the keys of ten minutes
    // if 1,000 keys are created per second.
    every(ONE_MINUTE, 'purge idempotency keys', () => purgeIdempotencyKeys(housekeeping, clock)),
    every(TEN_MINUTES, 'purge checkout reservations', () => purgeReservations(housekeeping, clock)),
    every(TEN_MINUTES, 'purge sessions', () => purgeSessions(housekeeping, clock)),
    every(TEN_MINUTES, 'purge sign-in failures', () => purgeSignInFailures(housekeeping, clock)),
    every(TEN_MINUTES, 'purge sign-ups', () => purgeSignUps(housekeeping, clock)),
    every(TEN_MINUTES, 'purge tokens', () => purgeTokens(housekeeping, clock)),
    every(ONE_MINUTE, 'purge refresh answers', () => purgeRefreshAnswers(housekeeping, clock)),
    every(TEN_MINUTES, 'reseal webhook secrets', () => resealWebhookSecrets(housekeeping, seal)),
    every(TEN_MINUTES, 'purge upload spends', () => purgeUploadSpends(db.background('upload spends'), clock)),
    ...(gateway ? [every(TEN_SECONDS, 'finish refunds', () => finishRefunds(db, clock, gateway))] : []),
    ...(sandbox ? [every(TEN_SECONDS, 'send payment notifications', () => sandbox.sendNotifications())] : []),
  ];
}

function every(everyMs: number, name: string, run: Job['run']): Job {
  return { name, everyMs, run };
}

export interface Worker {
  /** Stops the jobs, the sequencer and the dispatcher, and waits for work that has started. */
  stop(): Promise<void>;
}

export function startWorker({ log, listener, sequencer, dispatcher, jobs }: WorkerOptions): Worker {
  listener.on(EVENT_CHANNEL, () => sequencer.wake());
  listener.on(DELIVERY_CHANNEL, () => dispatcher.wake());
  sequencer.start();
  dispatcher.start();
  const running = new Map<Job, Promise<void>>();
  const timers = listJobs(jobs).map((job) =>
    setInterval(() => {
      // A job that takes longer than its interval is not started again meanwhile, because a second run would only
      // compete with the first for the same rows.
      if (running.has(job)) return;
      const run = job
        .run()
        .catch((error: unknown) => log.error({ err: error, job: job.name }, 'job failed'))
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
