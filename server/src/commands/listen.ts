import { cursorAt } from '../events/feed.js';
import { deriveKey } from '../platform/crypto/derive-key.js';
import type { StoreAccess } from '../platform/db/share.js';
import { Outbound } from '../platform/outbound/post.js';
import { asWebhookSecret } from '../webhooks/signing.js';
import { type Command, duration, UsageError } from './command.js';
import { withDatabase } from './connect.js';
import { clientOption, findCredential, storeOption } from './find-store.js';
import { type Forwarder, forwardEvents } from './forward-events.js';
import { type Position, SavedPosition } from './saved-position.js';
import { stopRequest } from './stop-request.js';

export const command: Command = {
  summary: 'Forward the events of a store to an address on this machine, for development',
  details: `Posts every event to the address, signed and with the headers of a real delivery, one after the other in the order of
the feed. An event is repeated until it is answered with 2xx. Ctrl-C ends the command; the next run continues after the
last acknowledged event. The first run starts with the next new event. With --replay 1h, a run starts with the events
of the last hour.`,
  options: {
    store: storeOption,
    'client-id': clientOption,
    'forward-to': { value: 'URL', description: 'Address to post the events to', required: true },
    replay: {
      value: '1h',
      description: 'How far back to start, such as 1h. If the last run was killed, it is continued instead',
    },
  },
  example: 'feira listen --store demo-store --client-id app_… --forward-to http://localhost:8080/webhooks',
  async run(values, { json } = { json: false }) {
    const forwardTo = addressOf(String(values['forward-to']));
    const replayMs = values.replay === undefined ? undefined : duration('replay', String(values.replay));
    const stop = new AbortController();
    void stopRequest(() => stop.abort());
    return withDatabase(async (db, clock, { dataFolder, secrets, webhooks }) => {
      const owner = await findCredential(db, String(values.store), String(values['client-id']));
      const { workspaceId, clientId } = owner;
      const store = db.store(workspaceId);
      const saved = new SavedPosition(dataFolder, { ...owner, forwardTo });
      const since = replayMs === undefined ? undefined : new Date(clock.now() - replayMs);
      const start = await startOf(store, workspaceId, saved, since);
      const secret = asWebhookSecret(deriveKey(secrets[0]!, `listen ${workspaceId} ${clientId}`));
      const print = json ? printJson : printText;
      print.start({ workspaceId, forwardTo, secret, ...start });
      const outbound = new Outbound({ allowPrivate: true, timeoutMs: webhooks.timeoutMs });
      const { onAttempt, onDatabaseError } = print;
      const common = { db: store, clock, outbound, workspaceId, forwardTo, secret, saved };
      try {
        await forwardEvents({ ...common, onAttempt, onDatabaseError }, start, stop.signal);
      } finally {
        await outbound.close();
      }
    });
  },
};

interface Start extends Position {
  /** Whether this run continues where an earlier one stopped. */
  resumed: boolean;
}

/**
 * Returns where to start. A run that was killed is continued even with --replay, because starting over would send all
 * its events again.
 */
async function startOf(
  store: StoreAccess,
  workspaceId: string,
  saved: SavedPosition,
  since: Date | undefined,
): Promise<Start> {
  const position = saved.read();
  if (position && !(since && position.ended)) return { ...position, resumed: true };
  return { ...(await cursorAt(store, workspaceId, since)), resumed: false };
}

function addressOf(text: string): string {
  const address = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(address) || !/^https?:\/\/[^/@]+(\/|$)/i.test(address))
    throw new UsageError(
      `--forward-to must be an http or https address without a user name, such as http://localhost:8080/webhooks, not "${text}"`,
    );
  return new URL(address).href;
}

interface Printer extends Pick<Forwarder, 'onAttempt' | 'onDatabaseError'> {
  start(start: Start & { workspaceId: string; forwardTo: string; secret: string }): void;
}

const printJson: Printer = {
  start: ({ workspaceId, forwardTo, secret, sequence, resumed }) =>
    console.log(JSON.stringify({ workspaceId, forwardTo, secret, sequence, resumed })),
  onAttempt: ({ id, sequence, event }, { attempt, delivered, statusCode, error, durationMs }) =>
    console.log(JSON.stringify({ sequence, id, event, attempt, delivered, statusCode, error, durationMs })),
  onDatabaseError: ({ message }) =>
    console.error(JSON.stringify({ error: message, code: 'database_unreachable' })),
};

const printText: Printer = {
  start: ({ forwardTo, secret, sequence, resumed }) =>
    console.log(
      [
        `Forwarding events to ${forwardTo}. Press Ctrl-C to stop.`,
        `Secret to verify the signatures with: ${secret}`,
        resumed
          ? `Continuing after event ${sequence}, where the last run stopped.`
          : `Starting after event ${sequence}.`,
      ].join('\n'),
    ),
  onAttempt: ({ sequence, event }, { attempt, statusCode, error, durationMs, retryInMs }) => {
    const result = statusCode === null ? error : `${statusCode}`;
    const retry = retryInMs === undefined ? '' : `; attempt ${attempt + 1} in ${retryInMs / 1000} s`;
    console.log(`${new Date().toISOString()}  ${sequence}  ${event}  ${result} in ${durationMs} ms${retry}`);
  },
  onDatabaseError: ({ message }) =>
    console.error(`feira: The database does not answer (${message}). Trying again.`),
};
