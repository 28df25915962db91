import { connect, type Socket } from 'node:net';

/** The requests of one measurement, which ends after `seconds`, or after `count` requests if that is earlier. */
export interface LoadOrder {
  port: number;
  connections: number;
  seconds: number;
  count: number;
  /**
   * If set, requests become due at this rate, even if earlier ones have no response yet. A due request waits only while
   * all connections are busy, and its response time is measured from when it was due. If its connection is closed
   * before the response is complete, the request is recorded with status 0. If unset, each connection sends its next
   * request as soon as it has a response, and a closed connection makes the measurement fail.
   */
  perSecond?: number;
  /** Complete requests. They are sent in this order and repeated. */
  requests: Uint8Array[];
}

export interface LoadResult {
  requests: number;
  seconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** The number of requests by response status. Status 0: the connection was closed before the response ended. */
  statuses: Record<string, number>;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const CHUNK = 65_536;

/**
 * The load generator, a separate process that runs one measurement at a time. It uses raw sockets with one request in
 * flight each, reads responses into one buffer per socket and parses only status and length, because on a machine with
 * two cores it competes with PostgreSQL for CPU time. (autocannon uses four times as much CPU time per request.)
 */
process.on('message', (order: LoadOrder) => {
  run(order).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});

async function run(order: LoadOrder): Promise<LoadResult> {
  const times = new Float64Array(order.count);
  const statuses = new Map<number, number>();
  let sent = 0;
  let done = 0;
  const begun = performance.now();
  const end = begun + order.seconds * 1000;
  const next = (): Due | undefined => {
    const now = performance.now();
    const at = order.perSecond ? begun + (sent * 1000) / order.perSecond : now;
    if (sent >= order.count || Math.max(at, now) >= end) return undefined;
    return { at, request: order.requests[sent++ % order.requests.length]! };
  };
  const record = (status: number, milliseconds: number) => {
    times[done++] = milliseconds;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  await Promise.all(Array.from({ length: order.connections }, () => converse(order, next, record)));
  const seconds = (performance.now() - begun) / 1000;
  const sorted = times.subarray(0, done).sort();
  return {
    requests: done,
    seconds,
    p50: sorted[Math.floor(done * 0.5)] ?? 0,
    p99: sorted[Math.floor(done * 0.99)] ?? 0,
    statuses: Object.fromEntries(statuses),
  };
}

interface Due {
  at: number;
  request: Uint8Array;
}

/** One connection: sends a request, reads the response to its last byte, and repeats until no request is left. */
function converse(
  { port, perSecond }: LoadOrder,
  next: () => Due | undefined,
  record: (status: number, milliseconds: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    /** The time at which the outstanding request was due. Undefined while no request is outstanding. */
    let dueAt: number | undefined;
    let isDone = false;
    let status = 0;
    /** The remaining bytes of the body; -1 while the head is incomplete. */
    let missing = -1;
    let head = Buffer.alloc(0);
    const chunk = Buffer.allocUnsafe(CHUNK);

    const ask = () => {
      const due = next();
      if (!due) {
        isDone = true;
        socket.destroy();
        resolve();
        return;
      }
      const wait = due.at - performance.now();
      if (wait >= 1) setTimeout(send, wait, due);
      else send(due);
    };
    const send = ({ at, request }: Due) => {
      dueAt = at;
      socket.write(request);
    };
    const answered = (result: number) => {
      record(result, performance.now() - dueAt!);
      dueAt = undefined;
      missing = -1;
      ask();
    };
    const read = (length: number, buffer: Uint8Array): boolean => {
      let body = length;
      if (missing < 0) {
        const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, length);
        const all = head.length === 0 ? bytes : Buffer.concat([head, bytes]);
        const headEnd = all.indexOf(HEAD_END);
        if (headEnd < 0) {
          head = Buffer.from(all);
          return true;
        }
        const text = all.toString('latin1', 0, headEnd);
        status = Number(text.slice(9, 12));
        missing = lengthIn(text);
        body = all.length - headEnd - HEAD_END.length;
        head = Buffer.alloc(0);
      }
      missing -= body;
      if (missing > 0) return true;
      answered(status);
      return true;
    };
    const closed = () => {
      if (isDone) return;
      if (perSecond === undefined) {
        reject(new Error('the server closed a connection that was in use'));
        return;
      }
      head = Buffer.alloc(0);
      socket = open();
      if (dueAt !== undefined) answered(0);
    };
    const open = (): Socket =>
      connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer: chunk, callback: read } })
        .on('error', (error) => perSecond === undefined && reject(error))
        .on('close', closed);
    let socket = open();
    socket.once('connect', ask);
  });
}

function lengthIn(head: string): number {
  const at = head.indexOf('content-length: ');
  if (at < 0) throw new Error(`a response without content-length: ${head.slice(0, 200)}`);
  return Number.parseInt(head.slice(at + 16, at + 26), 10);
}
