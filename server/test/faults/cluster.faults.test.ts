import { expect, test } from 'vitest';
import { LocalCluster } from '../support/local-cluster.js';
import { buildPreviousRelease } from '../support/previous-release.js';
import { Random } from '../support/random.js';
import { FAULTS } from '../support/storm/cluster-faults.js';
import { ROLLING_UPGRADE } from '../support/storm/rolling-upgrade.js';
import { FAULT_MS, runFaults } from '../support/storm/run-faults.js';
import { STORM_SETTINGS } from '../support/storm/run-storm.js';

// Requires the Debian packages listed in deploy/local-cluster/parts/settings.sh, and the full Git history.

/** The number of rounds. Each round causes every chosen fault once. */
const ROUNDS = Number(process.env.FEIRA_FAULT_ROUNDS ?? 1);
/**
 * The faults to cause: `short` for the short run, or a regular expression that their titles match. Default: all. Faults
 * that need root are left out if the tests do not run as root.
 */
const WANTED = process.env.FEIRA_FAULTS ?? '';
const IS_SHORT = WANTED === 'short';
const IS_ROOT = process.getuid?.() === 0;
const DISK_MB = '1500';

const chosen = FAULTS.filter(({ title, isShort, needsRoot }) =>
  IS_SHORT ? isShort : new RegExp(WANTED).test(title) && (IS_ROOT || !needsRoot),
);
const faults = [ROLLING_UPGRADE, ...Array.from({ length: ROUNDS }, () => chosen).flat()];

test(`no acknowledged write is lost or duplicated in an upgrade and ${faults.length - 1} cluster faults`, {
  timeout: 300_000 + faults.length * FAULT_MS,
}, async () => {
  const seed = Date.now() % 1_000_000;
  const left = FAULTS.filter((fault) => !faults.includes(fault)).map(({ title }) => title);
  process.stdout.write(`seed ${seed}; not part of this run: ${left.join('; ') || 'nothing'}\n`);
  const previous = buildPreviousRelease();
  const disk = IS_ROOT && !IS_SHORT ? { FEIRA_CLUSTER_DISK_MB: DISK_MB } : {};
  const cluster = await LocalCluster.start({ ...STORM_SETTINGS, ...disk }, previous.path);
  try {
    process.stdout.write(`the cluster runs version ${previous.version}\n`);
    expect(await runFaults(cluster, new Random(seed), faults)).toEqual([]);
  } finally {
    await cluster.stop();
    previous.remove();
  }
});
