import { expect, test } from 'vitest';
import { ReplicaLag } from '../../../src/platform/db/replica-lag.js';

test('the lag is infinite until the replica has reached a recorded position of the primary', () => {
  const lag = new ReplicaLag();
  expect(lag.atMostMs(0)).toBe(Number.POSITIVE_INFINITY);
  lag.primaryReached(100, 1_000);
  lag.replicaReached(99);
  expect(lag.atMostMs(1_000)).toBe(Number.POSITIVE_INFINITY);
});

test('the lag is the time since the primary was at the newest recorded position that the replica has reached', () => {
  const lag = new ReplicaLag();
  for (const [position, at] of [
    [100, 1_000],
    [200, 2_000],
    [300, 3_000],
  ] as const)
    lag.primaryReached(position, at);
  lag.replicaReached(250);
  expect(lag.atMostMs(3_000)).toBe(1_000);
  lag.replicaReached(300);
  expect(lag.atMostMs(3_000)).toBe(0);
  expect(lag.atMostMs(4_500)).toBe(1_500);
});

test('the lag does not grow while the primary writes nothing', () => {
  const lag = new ReplicaLag();
  for (let at = 0; at < 500_000; at += 1_000) {
    lag.primaryReached(100, at);
    lag.replicaReached(100);
    expect(lag.atMostMs(at)).toBe(0);
  }
});

test('the lag is not underestimated if the replica is behind the oldest recorded position', () => {
  const lag = new ReplicaLag();
  for (let n = 0; n <= 500; n++) lag.primaryReached(n, n * 1_000);
  lag.replicaReached(10);
  expect(lag.atMostMs(500_000)).toBeGreaterThanOrEqual(490_000);
  lag.replicaReached(450);
  expect(lag.atMostMs(500_000)).toBe(50_000);
});

test('after a failover that lost part of the WAL, the lag is measured against the WAL of the new primary', () => {
  const lag = new ReplicaLag();
  lag.primaryReached(1_000, 1_000);
  lag.primaryReached(900, 2_000);
  lag.replicaReached(900);
  expect(lag.atMostMs(2_000)).toBe(0);
});
