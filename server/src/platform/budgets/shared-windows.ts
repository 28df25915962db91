import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Clock } from '../clock.js';
import { MINUTE_MS, type Verdict } from './budgets.js';
import type { Counted, SpenderWindows } from './spender-windows.js';

/** A process that has not reported for this long no longer counts as one of those that share the limits. */
const PROCESS_MS = 15_000;
const CONNECT_MS = 1_000;

/*
 * Each window is a sorted set with the time of every accepted call. The time comes from the caller, whose clock is
 * the database's, so the clock of Redis affects only the expiry of keys. Times in the future remain from before a
 * clock was set back. They count as made now, because otherwise callers were locked out for as long as the step.
 *
 * ARGV: the current time, the name of this call, then for each window its limit and the number of calls of this
 * process it must contain. If it contains fewer, Redis has lost calls (it restarted empty, or its clock jumped): the
 * script returns {-1}, and the process adds its own calls again before it retries. Otherwise the script returns
 * {accepted, limit, remaining, reset} of the tightest window. One script checks and counts, so two processes cannot
 * both take the last slot.
 */
const SPEND = `
local now, name, window = tonumber(ARGV[1]), ARGV[2], ${MINUTE_MS}
local refused, tightest
for i, key in ipairs(KEYS) do
  local limit, own = tonumber(ARGV[2 * i + 1]), tonumber(ARGV[2 * i + 2])
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
  for _, early in ipairs(redis.call('ZRANGEBYSCORE', key, now + 1000, '+inf')) do redis.call('ZADD', key, now, early) end
  local used = redis.call('ZCARD', key)
  if used < own then return {-1} end
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

/** Commands fail immediately while there is no connection, because a call must not wait for one. */
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

/** The windows that all processes share. Every method throws if Redis does not respond. */
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

  async spend(spender: string, counted: Counted[], time: number): Promise<Verdict> {
    const answer = await this.trySpend(spender, counted, time, ({ window }) => window.used(time));
    if (answer[0] !== -1) return verdictOf(answer);
    await this.seed(counted.map(({ name, window }) => ({ spender, name, window })));
    return verdictOf(await this.trySpend(spender, counted, time, () => 0));
  }

  async takeBack(spender: string, counted: Counted[], time: number): Promise<void> {
    await Promise.all(counted.map(({ name }) => this.redis.zrem(keyOf(spender, name), this.nameOf(time))));
  }

  /** Adds the calls of this process that Redis may have lost, and returns the number of processes. */
  async join(): Promise<number> {
    await this.seed(this.own.all());
    const now = this.clock.now();
    const key = 'feira:budget:processes';
    await this.redis.zadd(key, now, this.process);
    await this.redis.zremrangebyscore(key, '-inf', now - PROCESS_MS);
    await this.redis.pexpire(key, PROCESS_MS);
    return this.redis.zcard(key);
  }

  async leave(): Promise<void> {
    await this.redis.zrem('feira:budget:processes', this.process).catch(() => {});
    this.redis.disconnect();
  }

  private trySpend(spender: string, counted: Counted[], time: number, own: (each: Counted) => number) {
    const keys = counted.map(({ name }) => keyOf(spender, name));
    const limits = counted.flatMap((each) => [each.limit, own(each)]);
    return this.redis.spendBudget(keys.length, ...keys, this.clock.now(), this.nameOf(time), ...limits);
  }

  /** Calls that Redis still has are not added twice, because they have the same names. */
  private async seed(
    windows: Iterable<Pick<Counted, 'name' | 'window'> & { spender: string }>,
  ): Promise<void> {
    const [time, now] = [this.clock.monotonic(), this.clock.now()];
    const pipeline = this.redis.pipeline();
    for (const { spender, name, window } of windows) {
      const calls = window.timesSince(time - MINUTE_MS).flatMap((at) => [now - (time - at), this.nameOf(at)]);
      if (calls.length === 0) continue;
      pipeline.zadd(keyOf(spender, name), 'NX', ...calls);
      pipeline.pexpire(keyOf(spender, name), 2 * MINUTE_MS);
    }
    if (pipeline.length === 0) return;
    const results = await pipeline.exec();
    const failed = results?.find(([error]) => error);
    if (failed) throw failed[0];
  }

  private nameOf(time: number): string {
    return `${this.process}:${time}`;
  }
}

function verdictOf([accepted, limit, remaining, reset]: [number, number, number, string]): Verdict {
  return { accepted: accepted === 1, limit, remaining, resetMs: Number(reset) };
}

/** The braces are a hash tag, so that a Redis cluster stores all windows of a spender on one node. */
function keyOf(spender: string, window: string): string {
  return `feira:budget:{${spender}}:${window}`;
}
