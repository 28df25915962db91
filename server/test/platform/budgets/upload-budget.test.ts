import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CallKind, Spender, Verdict } from '../../../src/platform/budgets/budgets.js';
import { DailyUploads, purgeUploadSpends } from '../../../src/platform/budgets/daily-uploads.js';
import { InMemoryBudgets } from '../../../src/platform/budgets/in-memory.js';
import { SpenderWindows } from '../../../src/platform/budgets/spender-windows.js';
import { sql } from '../../../src/platform/db/sql.js';
import { newId } from '../../../src/platform/schema/ids.js';
import { type Feira, openFeira } from '../../support/feira.js';

const MINUTE = 60_000;
const DAY = 86_400_000;

let feira: Feira;
let budgets: InMemoryBudgets;
let spender: Spender;
const opened: InMemoryBudgets[] = [];

beforeAll(async () => {
  feira = await openFeira();
  feira.clock.stop();
});
beforeEach(() => {
  budgets = restart();
  const workspaceId = newId();
  spender = { workspaceId, clientId: 'app_of_tests', name: `${workspaceId} app_of_tests`, perMinute: 120 };
});
afterAll(async () => {
  for (const each of opened) each.close();
  await feira.close();
});

/** Simulates a restart: the counts in memory are empty, and the database is the same. */
function restart(): InMemoryBudgets {
  const { db, clock } = feira.context;
  const made = new InMemoryBudgets(new SpenderWindows(clock), new DailyUploads(db, clock));
  opened.push(made);
  return made;
}

async function spend(kind: CallKind, count: number, by = spender): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let i = 0; i < count; i++) verdicts.push(await budgets.spend(by, kind));
  return verdicts;
}

const accepted = (verdicts: Verdict[]) => verdicts.filter((verdict) => verdict.accepted).length;

/** Records `count` uploads that were requested `agoMs` milliseconds ago. */
async function spentBefore(count: number, agoMs: number): Promise<void> {
  const at = new Date(feira.clock.now() - agoMs).toISOString();
  await feira.context.db.store('test').autocommit.query(sql`
    insert into upload_spends (workspace_id, client_id, spent_at)
    select ${spender.workspaceId}, ${spender.clientId}, ${at} from generate_series(1, ${count}::integer)`);
}

async function spentOfTheDay(): Promise<number> {
  const [row] = await feira.context.db.store('test').query<{ count: number }>(sql`
    select count(*) from upload_spends where workspace_id = ${spender.workspaceId}`);
  return row!.count;
}

describe('requests for upload addresses', () => {
  test('are limited to 60 in any 60 seconds', async () => {
    expect(accepted(await spend('upload', 40))).toBe(40);
    feira.clock.forward(20_000);
    expect(accepted(await spend('upload', 21))).toBe(20);
    const [refused] = await spend('upload', 1);
    expect(refused).toEqual({ accepted: false, limit: 60, remaining: 0, resetMs: 40_000 });
    feira.clock.forward(39_999);
    expect(accepted(await spend('upload', 1))).toBe(0);
    feira.clock.forward(1);
    expect(accepted(await spend('upload', 41))).toBe(40);
  });

  test('also count against the limit of 120 calls per minute', async () => {
    expect(accepted(await spend('upload', 60))).toBe(60);
    expect(accepted(await spend('call', 61))).toBe(60);
    feira.clock.forward(MINUTE);
    expect(accepted(await spend('call', 120))).toBe(120);
    expect((await spend('upload', 1))[0]).toEqual({
      accepted: false,
      limit: 120,
      remaining: 0,
      resetMs: MINUTE,
    });
  });

  test('are limited to 5,000 in any 24 hours, even after a restart', async () => {
    await spentBefore(4_000, DAY - 10_000);
    await spentBefore(998, 3_600_000);
    expect(accepted(await spend('upload', 2))).toBe(2);
    budgets = restart();
    const refused = { accepted: false, limit: 5_000, remaining: 0, resetMs: 10_000 };
    expect(await spend('upload', 2)).toEqual([refused, refused]);
    feira.clock.forward(9_999);
    expect(accepted(await spend('upload', 1))).toBe(0);
    feira.clock.forward(1);
    expect(accepted(await spend('upload', 1))).toBe(1);
    expect(accepted(await spend('upload', 1, { ...spender, clientId: 'another', name: 'another' }))).toBe(1);
  });

  test('report the limit with the fewest calls left', async () => {
    expect((await spend('upload', 1))[0]).toEqual({
      accepted: true,
      limit: 60,
      remaining: 59,
      resetMs: MINUTE,
    });
    await spend('call', 100);
    expect((await spend('upload', 1))[0]).toMatchObject({ limit: 120, remaining: 18 });
    feira.clock.forward(MINUTE);
    await spentBefore(4_988, 3_600_000);
    const [last] = await spend('upload', 1);
    expect(last).toEqual({ accepted: true, limit: 5_000, remaining: 9, resetMs: DAY - 3_600_000 });
  });

  test('do not count against any limit if one limit rejects them', async () => {
    await spend('upload', 60);
    expect(accepted(await spend('upload', 10))).toBe(0);
    expect(await spentOfTheDay()).toBe(60);
    expect(accepted(await spend('call', 61))).toBe(60);
    feira.clock.forward(MINUTE);
    await spentBefore(4_940, 1_000);
    expect(accepted(await spend('upload', 30))).toBe(0);
    expect(await spentOfTheDay()).toBe(5_000);
    expect(accepted(await spend('call', 121))).toBe(120);
  });

  test('that are rejected report a resetMs after which every limit accepts the next request', async () => {
    await spentBefore(4_940, 3_600_000);
    expect(accepted(await spend('upload', 60))).toBe(60);
    const [refused] = await spend('upload', 1);
    expect(refused).toEqual({ accepted: false, limit: 5_000, remaining: 0, resetMs: DAY - 3_600_000 });
    feira.clock.forward(refused!.resetMs);
    expect(accepted(await spend('upload', 1))).toBe(1);
  });

  test('never exceed a limit, even if they are concurrent', async () => {
    const many = await Promise.all(Array.from({ length: 100 }, () => budgets.spend(spender, 'upload')));
    expect(accepted(many)).toBe(60);
    expect(await spentOfTheDay()).toBe(60);
    feira.clock.forward(MINUTE);
    await spentBefore(4_910, 1_000);
    const other = restart();
    const both = await Promise.all(
      Array.from({ length: 90 }, (_, index) => (index % 2 ? budgets : other).spend(spender, 'upload')),
    );
    expect(accepted(both)).toBe(30);
    expect(await spentOfTheDay()).toBe(5_000);
  });

  test('are recorded for 24 hours; then the purge deletes the records', async () => {
    await spentBefore(3, DAY);
    await spentBefore(2, DAY - 1);
    await purgeUploadSpends(feira.context.db.background('test'), feira.clock);
    expect(await spentOfTheDay()).toBe(2);
  });
});
