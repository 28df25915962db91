import { type AddressInfo, createServer } from 'node:net';

// The webhook receiver, in a separate process. It uses raw sockets and parses only Content-Length, because on a machine
// with two cores its CPU time is taken from the worker. It first reports its port, and then periodically the bodies it
// received, with their times.

export interface Arrival {
  /** Milliseconds since 1970, with fractions. */
  at: number;
  body: string;
}

const ANSWER = 'HTTP/1.1 204 No Content\r\n\r\n';
const REPORT_EVERY_MS = 50;
let arrivals: Arrival[] = [];

const server = createServer((socket) => {
  let pending = '';
  socket.setNoDelay(true);
  socket.on('error', () => {});
  // With latin1, the length of the string is the number of bytes. The bodies are ASCII, so they are read correctly.
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    pending += chunk;
    for (;;) {
      const head = pending.indexOf('\r\n\r\n');
      if (head === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(pending.slice(0, head))?.[1] ?? 0);
      const end = head + 4 + length;
      if (pending.length < end) return;
      arrivals.push({ at: performance.timeOrigin + performance.now(), body: pending.slice(head + 4, end) });
      pending = pending.slice(end);
      socket.write(ANSWER);
    }
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
setInterval(() => {
  if (arrivals.length === 0) return;
  process.send?.({ arrivals });
  arrivals = [];
}, REPORT_EVERY_MS);
process.on('disconnect', () => process.exit());
