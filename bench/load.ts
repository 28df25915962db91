import { connect, type Socket } from 'node:net';

/** What one measurement sends, and when it ends: after `seconds`, or after `count` requests if that comes first. */
export interface LoadOrder {
  port: number;
  connections: number;
  seconds: number;
  count: number;
  /** Whole requests, sent in turn and from the start again when all were sent. */
  requests: Uint8Array[];
}

export interface LoadResult {
  requests: number;
  seconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** How often each status other than 200 was answered. */
  unexpected: Record<string, number>;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const CHUNK = 65_536;

/**
 * The load generator, a process of its own that takes one order at a time. Raw sockets, one request in flight on each,
 * answers read into one buffer per socket and not parsed beyond status and length: on two cores whatever it burns is
 * missing to PostgreSQL. (autocannon burns four times as much per request.)
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
  const next = () => {
    if (sent >= order.count || performance.now() >= end) return undefined;
    return order.requests[sent++ % order.requests.length];
  };
  const record = (status: number, milliseconds: number) => {
    times[done++] = milliseconds;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  await Promise.all(Array.from({ length: order.connections }, () => converse(order.port, next, record)));
  const seconds = (performance.now() - begun) / 1000;
  const sorted = times.subarray(0, done).sort();
  statuses.delete(200);
  return {
    requests: done,
    seconds,
    p50: sorted[Math.floor(done * 0.5)] ?? 0,
    p99: sorted[Math.floor(done * 0.99)] ?? 0,
    unexpected: Object.fromEntries(statuses),
  };
}

/** One connection: asks, reads the answer to its last byte, asks again, until there is nothing left to ask. */
function converse(
  port: number,
  next: () => Uint8Array | undefined,
  record: (status: number, milliseconds: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let status = 0;
    /** Bytes of the body still to come; -1 while the head is not complete. */
    let missing = -1;
    let head = Buffer.alloc(0);

    const ask = () => {
      const request = next();
      if (!request) {
        socket.destroy();
        resolve();
        return;
      }
      sentAt = performance.now();
      socket.write(request);
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
      missing = -1;
      record(status, performance.now() - sentAt);
      ask();
      return true;
    };
    const socket: Socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: { buffer: Buffer.allocUnsafe(CHUNK), callback: read },
    });
    socket.on('connect', ask);
    socket.on('error', reject);
    socket.on('end', () => reject(new Error('the server closed a connection that was in use')));
  });
}

function lengthIn(head: string): number {
  const at = head.indexOf('content-length: ');
  if (at < 0) throw new Error(`an answer without content-length: ${head.slice(0, 200)}`);
  return Number.parseInt(head.slice(at + 16, at + 26), 10);
}
