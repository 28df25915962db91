import { readFile } from 'node:fs/promises';
import { type Budget, type BudgetReport, type BudgetState, reserve, settle } from '../pacing/budget.js';
import { withFileLock } from './file-lock.js';
import { replaceFile } from './write-file.js';

/** The rate-limit budget of one store and app, shared by all processes on a machine that use the same file. */
export class FileBudget implements Budget {
  constructor(private readonly file: string) {}

  reserve(callId: string, now: number): Promise<number> {
    return this.change((state) => reserve(state, callId, now));
  }

  settle(callId: string, report: BudgetReport | undefined, now: number): Promise<void> {
    return this.change((state) => settle(state, callId, report, now));
  }

  private change<T>(work: (state: BudgetState) => T): Promise<T> {
    return withFileLock(`${this.file}.lock`, async () => {
      const state = await this.read();
      const result = work(state);
      await replaceFile(this.file, JSON.stringify(state), false);
      return result;
    });
  }

  private async read(): Promise<BudgetState> {
    try {
      return JSON.parse(await readFile(this.file, 'utf8')) as BudgetState;
    } catch {
      // The file is missing or unreadable. The headers of the next response restore the state.
      return { calls: [] };
    }
  }
}
