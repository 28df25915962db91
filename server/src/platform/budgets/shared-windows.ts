import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Clock } from '../clock.js';
import { MINUTE_MS, type Verdict } from './budgets.js';
import type { Counted, SpenderWindows } from './spender-windows.js';

/** A process that has not reported for this long is no longer counted among those that share the limits. */
const PROCESS_MS = 15_000;
const CONNECT_MS = 1_000;
const LEAVE_MS = 1_000;
/** Calls older than this may already have left the window in Redis, because the clocks of processes differ a little. */
const CERTAIN_MS = MINUTE_MS - 5_000;

/*
 * Each window is a sorted set with the time of every accepted call. The caller passes the time, which it takes from the
 * database, so the clock of Redis affects only the expiry of keys. If the clock of the database was set back, the set
 * may contain times in the future. The script replaces those that are at least a second ahead with the current time.
 * Otherwise these calls would count for longer than a minute.
 *
 * ARGV: the current time, the name of this call, then for each window its limit and the name of the newest call of this
 * process ('' if there is none within CERTAIN_MS). If a window does not contain that call, Redis has lost calls (it
 * restarted empty, or its clock jumped), and the script returns {-1}. Otherwise it returns {accepted, limit, remaining,
 * reset} of the window with the fewest calls left or, if the call is rejected, of the window with the longest wait. One
 * script checks and counts, so two processes cannot both take the last slot.
 */
const SPEND = `
local now, name, window = tonumber(ARGV[1]), ARGV[2], ${MINUTE_MS}
local refused, tightest
for i, key in ipairs(KEYS) do
  local limit, newest = tonumber(ARGV[2 * i + 1]), ARGV[2 * i + 2]
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
  for _, early in ipairs(redis.call('ZRANGEBYSCORE', key, now + 1000, '+inf')) do redis.call('ZADD', key, now, early) end
  if newest ~= '' and not redis.call('ZSCORE', key, newest) then return {-1} end
  local used = redis.call('ZCARD', key)
  if used >= limit then
    local oldest = redis.call('ZRANGE', key, used - limit, used - limit, 'WITHSCORES')
    local wait = oldest[2] + window - now
    if not refused or wait > refused[4] then refused = {0, limit, 0, wait} end
  end
end
if refused then return {refused[1], refused[2], refused[3], tostring(refused[4])} end
for i, key in ipairs(KEYS) do
  local limit = tonumber(ARGV[2 * i + 1])
  redis.call('ZADD', key, now, name)
  redis.call('PEXPIRE', key, 2 * window)
  local used = redis.call('ZCARD', key)
  local oldest = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  if not tightest or limit - used < tightest[3] then tightest = {1, limit, limit - used, oldest[2] + window - now} end
end
return {tightest[1], tightest[2], tightest[3], tostring(tightest[4])}
`;

interface Scripted extends Redis {
  spendBudget(keys: number, ...args: (string | number)[]): Promise<[number, number, number, string]>;
}

/** Commands fail immediately while Redis is disconnected, so that an API call does not wait for the connection. */
export function openRedis(url: string): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: CONNECT_MS,
    retryStrategy: (tries) => Math.min(tries * 50, 500),
  });
  redis.on('error', () => {});
  return redis;
}

/**
 * The windows that all processes share. The async methods may wait while Redis hangs. They reject while Redis is
 * disconnected, except for `leave` and a `refill` that has no calls to add.
 */
export class SharedWindows {
  private readonly redis: Scripted;
  private readonly process = randomBytes(9).toString('base64url');

  constructor(
    url: string,
    private readonly clock: Clock,
    private readonly own: SpenderWindows,
  ) {
    this.redis = openRedis(url) as Scripted;
    this.redis.defineCommand('spendBudget', { lua: SPEND });
  }

  onLoss(handler: () => void): void {
    this.redis.on('close', handler);
  }

  /** Returns undefined if Redis has lost calls of this process and therefore cannot decide. */
  async spend(spender: string, counted: Counted[], time: number): Promise<Verdict | undefined> {
    const keys = counted.map(({ name }) => keyOf(spender, name));
    const windows = counted.flatMap(({ window, limit }) => {
      const newest = window.newestSince(time - CERTAIN_MS);
      return [limit, newest === undefined ? '' : this.nameOf(newest)];
    });
    const answer = await this.redis.spendBudget(
      keys.length,
      ...keys,
      this.clock.now(),
      this.nameOf(time),
      ...windows,
    );
    return answer[0] === -1 ? undefined : verdictOf(answer);
  }

  async takeBack(spender: string, counted: Counted[], time: number): Promise<void> {
    await Promise.all(counted.map(({ name }) => this.redis.zrem(keyOf(spender, name), this.nameOf(time))));
  }

  /** Records in Redis that this process is running, and returns the number of running processes. */
  async report(): Promise<number> {
    const now = this.clock.now();
    const key = 'feira:budget:processes';
    await this.redis.zadd(key, now, this.process);
    await this.redis.zremrangebyscore(key, '-inf', now - PROCESS_MS);
    await this.redis.pexpire(key, PROCESS_MS);
    return this.redis.zcard(key);
  }

  /** Records in Redis that this process has stopped, and disconnects. If Redis hangs, this takes one second. */
  async leave(): Promise<void> {
    const timer = setTimeout(() => this.redis.disconnect(), LEAVE_MS);
    await this.redis.zrem('feira:budget:processes', this.process).catch(() => {});
    clearTimeout(timer);
    this.redis.disconnect();
  }

  /**
   * Adds the calls of this process that are missing in Redis, and returns their number. The commands are sent before
   * the promise is returned, so Redis runs them before the commands of any method called later.
   */
  async refill(): Promise<number> {
    const [time, now] = [this.clock.monotonic(), this.clock.now()];
    const pipeline = this.redis.pipeline();
    for (const { spender, name, window } of this.own.all()) {
      const calls = window
        .timesSince(time - CERTAIN_MS)
        .flatMap((at) => [now - (time - at), this.nameOf(at)]);
      if (calls.length === 0) continue;
      pipeline.zadd(keyOf(spender, name), 'NX', ...calls);
      pipeline.pexpire(keyOf(spender, name), 2 * MINUTE_MS);
    }
    if (pipeline.length === 0) return 0;
    const results = (await pipeline.exec()) ?? [];
    const failed = results.find(([error]) => error);
    if (failed) throw failed[0];
    return results.filter((_, index) => index % 2 === 0).reduce((sum, [, added]) => sum + Number(added), 0);
  }

  private nameOf(time: number): string {
    return `${this.process}:${time}`;
  }
}

function verdictOf([accepted, limit, remaining, reset]: [number, number, number, string]): Verdict {
  return { accepted: accepted === 1, limit, remaining, resetMs: Number(reset) };
}

/** The braces are a hash tag: they make a Redis cluster store all windows of a spender on one node. */
function keyOf(spender: string, window: string): string {
  return `feira:budget:{${spender}}:${window}`;
}
