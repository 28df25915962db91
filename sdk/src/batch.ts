import type { Api } from './api.js';
import { sendJson } from './call.js';
import { type CallSite, FeiraError } from './errors.js';
import type { DryRunOptions } from './options.js';
import type { CallSpec } from './sent-request.js';

const MAX_ENTRIES = 500;

export type BatchResult<R> = R[];

/**
 * Sends any number of entries in calls of up to 500 entries. The calls are sent one after the other, because entries
 * for the same SKU must be applied in order. Each call has its own idempotency key, derived from the given one, so
 * repeating the whole batch with the same given key sends the same keys. If a call fails, `completed` of the error
 * contains the results of the earlier calls.
 */
export async function sendInBatches<E, B, R>(
  api: Api,
  entries: E[],
  send: (part: E[]) => { spec: CallSpec; read: (body: B) => R[] },
  options: DryRunOptions = {},
  site: CallSite,
): Promise<BatchResult<R>> {
  const started = api.transport.start(options);
  const key = options.idempotencyKey ?? crypto.randomUUID();
  const results: R[] = [];
  for (let start = 0; start < entries.length; start += MAX_ENTRIES) {
    const { spec, read } = send(entries.slice(start, start + MAX_ENTRIES));
    const keyed = { ...started, idempotencyKey: `${key}.${start}` };
    try {
      const { data } = await sendJson(api.transport, spec, keyed, site, read as (body: never) => R[]);
      results.push(...data);
    } catch (error) {
      throw error instanceof FeiraError ? placed(error, start, results) : error;
    }
  }
  return results;
}

/**
 * Converts the positions in an error to positions in the whole list, because the API counts the entries of each call
 * from 0.
 */
function placed(error: FeiraError, start: number, completed: unknown[]): FeiraError {
  for (const detail of error.details)
    detail.field = detail.field?.replace(
      /^(\w+)\[(\d+)\]/,
      (_all, name, index) => `${name}[${Number(index) + start}]`,
    );
  error.completed = completed;
  return error;
}
