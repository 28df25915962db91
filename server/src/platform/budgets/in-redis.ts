import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import {
  type Budgets,
  type CallKind,
  MINUTE_MS,
  type Spender,
  UPLOADS_PER_MINUTE,
  type Verdict,
} from './budgets.js';
import type { DailyUploads } from './daily-uploads.js';

/**
 * The same exact rolling windows, shared by all processes: a sorted set per window with the time of each accepted call.
 * One script judges and counts, so no two processes can both take the last slot; time is Redis' own. KEYS are the
 * windows, ARGV[1] a name for this call, then a limit per window. Answers {accepted, limit, remaining, reset} of the
 * tightest window.
 */
const SPEND = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local window = ${MINUTE_MS}
local refused, tightest
for i, key in ipairs(KEYS) do
  local limit = tonumber(ARGV[i + 1])
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
  local used = redis.call('ZCARD', key)
  if used >= limit then
    local oldest = redis.call('ZRANGE', key, used - limit, used - limit, 'WITHSCORES')
    local wait = oldest[2] + window - now
    if not refused or wait > refused[4] then refused = {0, limit, 0, wait} end
  end
end
if refused then return {refused[1], refused[2], refused[3], tostring(refused[4])} end
for i, key in ipairs(KEYS) do
  local limit = tonumber(ARGV[i + 1])
  redis.call('ZADD', key, now, ARGV[1])
  redis.call('PEXPIRE', key, window)
  local used = redis.call('ZCARD', key)
  local oldest = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  if not tightest or limit - used < tightest[3] then tightest = {1, limit, limit - used, oldest[2] + window - now} end
end
return {tightest[1], tightest[2], tightest[3], tostring(tightest[4])}
`;

export function openRedis(url: string): Redis {
  // A call waits for Redis no longer than for a slow database; then it is answered 500 and not waved through.
  const redis = new Redis(url, { maxRetriesPerRequest: 1, commandTimeout: 2_000, lazyConnect: false });
  redis.on('error', () => {});
  return redis;
}

interface Scripted extends Redis {
  spendBudget(keys: number, ...args: (string | number)[]): Promise<[number, number, number, string]>;
}

export class RedisBudgets implements Budgets {
  private readonly redis: Scripted;

  constructor(
    url: string,
    private readonly dailyUploads: DailyUploads,
  ) {
    this.redis = openRedis(url) as Scripted;
    this.redis.defineCommand('spendBudget', { lua: SPEND });
  }

  async spend(spender: Spender, kind: CallKind): Promise<Verdict> {
    // In braces, so that a cluster keeps the windows of one spender in one place.
    const base = `feira:budget:{${spender.name}}`;
    const windows: [string, number][] = [[`${base}:calls`, spender.perMinute]];
    if (kind === 'upload') windows.push([`${base}:uploads`, UPLOADS_PER_MINUTE]);
    const name = randomBytes(9).toString('base64url');
    const keys = windows.map(([key]) => key);
    const [accepted, limit, remaining, reset] = await this.redis.spendBudget(
      keys.length,
      ...keys,
      name,
      ...windows.map(([, most]) => most),
    );
    const minute: Verdict = { accepted: accepted === 1, limit, remaining, resetMs: Number(reset) };
    return kind === 'upload' ? this.withDay(spender, minute, keys, name) : minute;
  }

  async check(): Promise<'ok' | 'degraded'> {
    await this.redis.ping();
    return 'ok';
  }

  close(): void {
    this.redis.disconnect();
  }

  /** The day is counted in the database; what it refuses is taken back here. */
  private async withDay(spender: Spender, minute: Verdict, keys: string[], name: string): Promise<Verdict> {
    if (!minute.accepted) {
      const day = await this.dailyUploads.look(spender);
      return day.accepted || day.resetMs < minute.resetMs ? minute : day;
    }
    const takeBack = () => Promise.all(keys.map((key) => this.redis.zrem(key, name)));
    const day = await this.dailyUploads.spend(spender).catch(async (error: unknown) => {
      await takeBack();
      throw error;
    });
    if (!day.accepted) await takeBack();
    return day.accepted && minute.remaining <= day.remaining ? minute : day;
  }
}
