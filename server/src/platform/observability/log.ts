import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino';
import { TerminalLines } from './terminal-lines.js';

/**
 * Writes one JSON line per event to standard output, or a short line for a person if that is a terminal. Headers, query
 * strings and bodies are never logged, so tokens, codes and signatures cannot appear. The redaction below is a second
 * safeguard for later changes.
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
export function timeNow(): string {
  const now = Date.now();
  if (now !== stampedAt) {
    stampedAt = now;
    stamp = new Date(now).toISOString();
  }
  return stamp;
}

/** PostgreSQL includes the values of a row that violates a constraint, and these came from a request body. */
function withoutRows(error: Error): object {
  const { detail, where, ...told } = stdSerializers.err(error);
  return told;
}

const BUFFER_LENGTH = 16_000;
const FLUSH_MS = 250;

function standardOutput(): DestinationStream {
  if (process.stdout.isTTY) return new TerminalLines(process.stdout);
  return new BufferedLines(destination({ dest: 1, sync: false }));
}

/**
 * Writing each line separately, as a job on another thread, cost a tenth of a request; a delay of a quarter of a
 * second is acceptable. Lines are buffered here and not by the stream, because the stream counts the bytes of every
 * line, which cost another thirtieth.
 */
class BufferedLines implements DestinationStream {
  private text = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly out: ReturnType<typeof destination>) {
    // Must run before the stream's own exit handler, which closes it.
    process.prependOnceListener('exit', () => this.flushSync());
  }

  write(line: string): void {
    this.text += line;
    if (this.text.length >= BUFFER_LENGTH) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
  }

  /** pino calls this after a fatal line. */
  flushSync(): void {
    this.flush();
    this.out.flushSync();
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.text !== '') this.out.write(this.text);
    this.text = '';
  }
}
