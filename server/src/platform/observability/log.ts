import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino';

/**
 * One JSON line per fact, on standard output. No header, query string or body is ever put into a line, so tokens,
 * codes and signatures cannot be there; the redaction below is a second lock for what a later change might log.
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

/** Put into words once per millisecond. */
export function timeNow(): string {
  const now = Date.now();
  if (now !== stampedAt) {
    stampedAt = now;
    stamp = new Date(now).toISOString();
  }
  return stamp;
}

/** PostgreSQL tells the values of a row that breaks a rule of its table, and they came from a body. */
function withoutRows(error: Error): object {
  const { detail, where, ...told } = stdSerializers.err(error);
  return told;
}

const GATHERED_LENGTH = 16_000;
const GATHERED_MS = 250;

function standardOutput(): DestinationStream {
  return new GatheredLines(destination({ dest: 1, sync: false }));
}

/**
 * A write per line, each a job for another thread, cost a tenth of a request; a quarter of a second is no delay. Gathered
 * here and not by the stream, which counts the bytes of every line: that alone was a thirtieth.
 */
class GatheredLines implements DestinationStream {
  private text = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly out: ReturnType<typeof destination>) {
    // Before the stream's own: it would be closed already.
    process.prependOnceListener('exit', () => this.flushSync());
  }

  write(line: string): void {
    this.text += line;
    if (this.text.length >= GATHERED_LENGTH) this.handOn();
    else this.timer ??= setTimeout(() => this.handOn(), GATHERED_MS).unref();
  }

  /** The library asks for this after a fatal line. */
  flushSync(): void {
    this.handOn();
    this.out.flushSync();
  }

  private handOn(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.text !== '') this.out.write(this.text);
    this.text = '';
  }
}
