import { type DestinationStream, type Logger, pino, stdSerializers, symbols } from 'pino';
import { collectedOutput } from './collected-lines.js';
import { TerminalLines } from './terminal-lines.js';

/**
 * Returns a logger that writes one JSON line per entry to standard output, or a short readable line if standard output
 * is a terminal. Query strings, bodies and headers other than User-Agent are not logged, because they may contain
 * tokens, codes and signatures. The redaction below is a second safeguard in case a later change logs headers or form
 * fields.
 */
export function createLog(level: string, stream: DestinationStream = standardOutput()): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${timeNow()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: withoutRows },
      redact: {
        paths: [
          '*.authorization',
          '*.cookie',
          '*.password',
          '*.secret',
          '*.client_secret',
          '*.access_token',
          '*.refresh_token',
          '*.code_verifier',
        ],
        censor: '[redacted]',
      },
    },
    stream,
  );
}

/**
 * Returns a logger with a `child` method that returns the same logger. The framework creates a child for each request.
 * A real child would only add the request id to its lines, and creating it took a tenth of the time of a product read.
 * The code that writes a line adds the id instead. The option childLoggerFactory is slower, because the framework then
 * validates the logger for each request.
 */
export function withoutChildren(log: Logger): Logger {
  return Object.create(log, {
    child: {
      value(this: Logger) {
        return this;
      },
    },
  });
}

/** Returns the stream to which a logger writes its lines. */
export function outputOf(log: Logger): DestinationStream {
  return (log as unknown as { [symbols.streamSym]: DestinationStream })[symbols.streamSym];
}

let stampedAt = 0;
let stamp = '';

/** Returns the time for a log line. Formats each millisecond only once, because many lines have the same time. */
export function timeNow(): string {
  const now = Date.now();
  if (now !== stampedAt) {
    stampedAt = now;
    stamp = new Date(now).toISOString();
  }
  return stamp;
}

/**
 * Removes `detail` and `where`. If a row violates a constraint, PostgreSQL reports its values there, and they may come
 * from a request body.
 */
function withoutRows(error: Error): object {
  const { detail, where, ...safe } = stdSerializers.err(error);
  return safe;
}

function standardOutput(): DestinationStream {
  return process.stdout.isTTY ? new TerminalLines(process.stdout) : collectedOutput();
}
