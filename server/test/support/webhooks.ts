import { createHmac, timingSafeEqual } from 'node:crypto';
import { expect } from 'vitest';
import { ALL_SCOPES, type Feira, StoreClient } from './feira.js';
import type { Received } from './receiver.js';

export interface Subscription {
  id: string;
  secret: string;
}

export async function subscribe(
  store: StoreClient,
  url: string,
  events = ['product.created'],
  settings: { filter?: { fields: string[] } | null; excludeOwn?: boolean } = {},
): Promise<Subscription> {
  const answer = await store.post('/webhooks', { url, events, ...settings });
  expect(answer.status).toBe(201);
  return answer.body;
}

/** Connects another app to the same store. */
export async function otherAppOf(
  feira: Feira,
  { workspaceId }: StoreClient,
  scopes = ALL_SCOPES,
): Promise<StoreClient> {
  const { clientId } = await feira.store();
  return StoreClient.open(feira.context, feira.app, workspaceId, clientId, scopes);
}

export interface LoggedDelivery {
  id: string;
  eventId: string;
  event: string;
  status: string;
  createdAt: string;
  nextAttemptAt: string | null;
  attempts: {
    number: number;
    at: string;
    statusCode: number | null;
    error: string | null;
    durationMs: number;
    response: string | null;
  }[];
}

/**
 * Reads the delivery log as the integrator does. It uses a new token, because tests move the clock beyond the expiry of
 * the first one.
 */
export async function readLog(store: StoreClient, webhookId: string, query = ''): Promise<LoggedDelivery[]> {
  const reader = await store.withScopes(['webhooks:manage']);
  const answer = await reader.get(`/webhooks/${webhookId}/deliveries${query}`);
  expect(answer.status).toBe(200);
  return answer.body.data;
}

/**
 * Stops the clock, so that only `pass` advances it. Whether a delivery is due depends on the later of this clock and
 * the clock of the database. This clock is moved a day ahead, so that no retry is due before the test calls `pass`,
 * however slow the machine is.
 */
export function stopTime(feira: Feira): void {
  feira.clock.stop();
  feira.clock.forward(24 * 60 * 60 * 1000);
}

/** Advances the time and wakes the sequencer, which numbers events, and the dispatcher, which sends deliveries. */
export function pass(feira: Feira, milliseconds: number): void {
  feira.clock.forward(milliseconds);
  feira.context.sequencer.wake();
  feira.context.dispatcher.wake();
}

/** Verifies a signature as described in the documentation. */
export function isGenuine(
  secret: string,
  { body, headers }: Pick<Received, 'body' | 'headers'>,
  header = 'x-service-signature-256',
): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(headers[header] ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
