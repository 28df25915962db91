import type { Statement } from './sql.js';

/**
 * One session with PostgreSQL, whichever driver speaks for it. Statements may be sent without waiting for the answers
 * to earlier ones; they are executed and answered in order.
 */
export interface Connection {
  query<R>(statement: Statement): Promise<R[]>;
  /** False once the connection is lost, closed or destroyed. */
  readonly isOpen: boolean;
  /** How many statements are sent and not answered yet. */
  readonly pending: number;
  /** performance.now() at the last sign of life. */
  readonly lastAnswerAt: number;
  /** Rejects what is under way and drops the socket without a farewell: the other side may not be listening. */
  destroy(reason: Error): void;
  close(): Promise<void>;
}
