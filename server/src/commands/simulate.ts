import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ordersOf } from '../orders/storage.js';
import { isTemporary } from '../platform/db/unavailable.js';
import { ApiError } from '../platform/http/errors.js';
import { createShipment } from '../shipping/create-shipment.js';
import { scan } from '../shipping/shipments.js';
import type { Shop } from '../stores/queries.js';
import { type Command, duration, intervalOfRate } from './command.js';
import { requireStore, storeOption } from './find-store.js';
import { restock } from './restock.js';
import { buyOne, pick } from './simulated-buyer.js';
import { type Counts, inWords, showProgress } from './simulation-progress.js';
import { type SandboxServices, withSandbox } from './with-sandbox.js';

const AT_ONCE = 8;
/** The probability, in percent, of each simulated action. */
const PAY = 85;
const SHIPPED = 60;
const MOVES = 50;
const REFUNDED = 5;
const RESTOCK = 10;

export const command: Command = {
  summary: 'Simulate a busy shop: buyers order and mostly pay, parcels move, some orders are refunded',
  options: {
    store: storeOption,
    rate: {
      value: 'N/s',
      description: 'Purchases per second, minute or hour, such as 2/s or 30/m',
      required: true,
    },
    for: { value: '60s', description: 'Duration, such as 90s, 10m or 2h (default 60s)' },
    'no-restock': { description: 'Do not add stock to products that are sold out' },
  },
  example: 'feira simulate --store demo-store --rate 2/s --for 60s',
  details:
    'Products that are sold out get new stock, so that buyers can keep ordering. Ctrl-C ends the simulation and prints the\nresults so far.',
  async run(values, output) {
    const everyMs = intervalOfRate('rate', String(values.rate));
    const forMs = duration('for', String(values.for ?? '60s'));
    return withSandbox(async (services) => {
      const shop = await requireStore(services.db, String(values.store));
      const simulation = new Simulation(services, shop, values['no-restock'] !== true);
      const interrupted = new AbortController();
      const interrupt = () => interrupted.abort();
      // `once`, so that a second Ctrl-C ends the process immediately.
      process.once('SIGINT', interrupt);
      const progress = showProgress(simulation.counts, output?.json === true);
      const until = performance.now() + forMs;
      const running = new Set<Promise<void>>();
      for (let next = performance.now(); next < until; next += everyMs) {
        await pause(next - performance.now(), interrupted.signal);
        if (interrupted.signal.aborted) break;
        // If AT_ONCE buyers are still busy, the next one is skipped instead of queued.
        if (running.size >= AT_ONCE) continue;
        const visit = simulation.visit().finally(() => running.delete(visit));
        running.add(visit);
        if (simulation.failure) break;
      }
      await Promise.all(running);
      progress.end();
      process.off('SIGINT', interrupt);
      if (simulation.failure) throw simulation.failure;
      return simulation.counts;
    });
  },
  describe: (counts: Counts) => inWords(counts),
};

/** One run of the simulation, with its results so far. */
class Simulation {
  readonly counts: Counts = {
    orders: 0,
    paid: 0,
    parcels: 0,
    scans: 0,
    refunds: 0,
    soldOut: 0,
    restocked: 0,
    gaveUp: 0,
  };
  private readonly parcels: string[] = [];
  private readonly paid: string[] = [];

  constructor(
    private readonly services: SandboxServices,
    private readonly shop: Shop,
    private readonly restocks: boolean,
  ) {}

  /** The first error other than rejected actions and temporary errors of the database. */
  failure: unknown;

  async visit(): Promise<void> {
    try {
      await this.shopAround();
    } catch (error) {
      // Another visit or an app may refund or ship the order at the same time, so a rejected action is not a failure.
      if (error instanceof ApiError) return;
      // If the database is busy, some buyers give up, as in a real shop. The simulation continues.
      if (isTemporary(error)) this.counts.gaveUp++;
      else this.failure ??= error;
    }
  }

  private async shopAround(): Promise<void> {
    const { gateway, wake } = this.services;
    const bought = await buyOne(this.services, this.shop, undefined);
    if (bought) this.counts.orders++;
    else this.counts.soldOut++;
    if (this.restocks && (!bought || chance(RESTOCK))) {
      // `+= await` would read the count before the wait, during which other visits may change it.
      const restocked = await restock(this.services.db, this.shop.workspaceId);
      this.counts.restocked += restocked;
    }
    if (bought && chance(PAY)) {
      await gateway.decide(bought.transactionId, 'paid');
      this.counts.paid++;
      this.paid.push(bought.transactionId);
      if (chance(SHIPPED)) await this.label(bought.orderId);
    }
    if (this.parcels.length > 0 && chance(MOVES)) await this.move();
    if (this.paid.length > 0 && chance(REFUNDED)) await this.refund();
    await wake();
  }

  private async label(orderId: string): Promise<void> {
    const { db, clock } = this.services;
    const { code } = await ordersOf(db, this.shop.workspaceId).transaction((tx) =>
      createShipment(tx, clock, this.shop.workspaceId, 'console', orderId, undefined),
    );
    this.counts.parcels++;
    this.parcels.push(code);
  }

  /** Advances a parcel that is not delivered yet. */
  private async move(): Promise<void> {
    const [code] = this.parcels.splice(randomInt(this.parcels.length), 1) as [string];
    const status = await ordersOf(this.services.db, this.shop.workspaceId).transaction((tx) =>
      scan(tx, this.shop.workspaceId, code, undefined),
    );
    this.counts.scans++;
    if (status !== 'delivered') this.parcels.push(code);
  }

  private async refund(): Promise<void> {
    const [transactionId] = this.paid.splice(randomInt(this.paid.length), 1) as [string];
    const payment = await this.services.gateway.find(transactionId);
    const part = Math.floor((payment?.amount ?? 0) * 50) / 100;
    await this.services.gateway.refundAsMerchant(transactionId, pick([undefined, part || undefined]));
    this.counts.refunds++;
  }
}

/** Waits until the next buyer comes, or until Ctrl-C. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(Math.max(0, ms), undefined, { signal }).catch(() => {});
}

function chance(inHundred: number): boolean {
  return randomInt(100) < inHundred;
}
