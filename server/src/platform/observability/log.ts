import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino';
import { TerminalLines } from './terminal-lines.js';

/**
 * Writes one JSON line per event to standard output, or a short readable line if standard output is a terminal.
 * Headers, query strings and bodies are never logged, so tokens, codes and signatures cannot appear. The redaction
 * below is a second safeguard in case a later change logs them.
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

let stampedAt = 0;
let stamp = '';

/** Formats the time once per millisecond. */
function timeNow(): string {
  const now = Date.now();
  if (now !== stampedAt) {
    stampedAt = now;
    stamp = new Date(now).toISOString();
  }
  return stamp;
}

/**
 * Removes the values of the row: PostgreSQL reports those of a row that violates a constraint, and they came from a
 * request body.
 */
function withoutRows(error: Error): object {
  const { detail, where, ...safe } = stdSerializers.err(error);
  return safe;
}

/**
 * Collects lines and writes them together, because writing each one separately took a tenth of a request's time. Lines
 * may appear a quarter of a second late; the remaining ones are written when the process exits.
 */
function standardOutput(): DestinationStream {
  if (process.stdout.isTTY) return new TerminalLines(process.stdout);
  return destination({ dest: 1, sync: false, minLength: 16_000, periodicFlush: 250 });
}
