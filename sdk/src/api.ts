import { Call, sendJson } from './call.js';
import { callSite } from './errors.js';
import { List } from './list.js';
import type { CallOptions, ConditionalOptions } from './options.js';
import type { Query } from './query.js';
import type { CallSpec } from './sent-request.js';
import type { Transport } from './transport.js';

/** The kinds of calls that the classes in resources/ are built from. */
export class Api {
  constructor(readonly transport: Transport) {}

  get<T>(path: string, options: CallOptions = {}): Call<T> {
    return new Call(sendJson(this.transport, { method: 'GET', path }, options, callSite(this.get)));
  }

  /** Reads one of the few lists that are not paged. */
  all<T>(path: string, options: CallOptions = {}): Call<T[]> {
    const site = callSite(this.all);
    return new Call(sendJson(this.transport, { method: 'GET', path }, options, site, dataOf<T>));
  }

  list<T>(path: string, query: object = {}, options: CallOptions = {}): List<T> {
    return new List(this.transport, path, query as Query, options, callSite(this.list));
  }

  write<T>(spec: CallSpec, options: ConditionalOptions = {}, pick?: (body: never) => T): Call<T> {
    return new Call(sendJson(this.transport, spec, options, callSite(this.write), pick));
  }
}

export function dataOf<T>(body: { data: T[] }): T[] {
  return body.data;
}
