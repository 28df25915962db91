import type { Statement } from './sql.js';

/**
 * One session with PostgreSQL, independent of the driver. Statements may be sent before earlier ones are answered. They
 * are executed and answered in the order in which they were sent.
 */
export interface Connection {
  query<R>(statement: Statement): Promise<R[]>;
  /** False once the connection is lost, closed or destroyed. */
  readonly isOpen: boolean;
  /** The number of statements that were sent and not yet answered. */
  readonly pending: number;
  /** The value of performance.now() when the server last answered. */
  readonly lastAnswerAt: number;
  /**
   * Rejects all pending statements and drops the socket without the closing handshake, because the server may not be
   * responding.
   */
  destroy(reason: Error): void;
  close(): Promise<void>;
}
