import { ordersOf } from '../../orders/storage.js';
import { Batcher } from '../../platform/concurrency/batcher.js';
import { firstOfEach } from '../../platform/concurrency/first-of-each.js';
import { StoreBatcher } from '../../platform/concurrency/store-batcher.js';
import type { Database } from '../../platform/db/database.js';
import type { Tx } from '../../platform/db/share.js';
import { arrayOf, fixed, type Statement, sql } from '../../platform/db/sql.js';
import { togetherOrAlone } from '../../platform/db/together-or-alone.js';
import type { PaymentRequest } from '../gateway.js';
import type { SandboxPayment } from './payment.js';

const MAX_BATCH = 16;

export type DecidedStatus = 'paid' | 'declined' | 'canceled';

interface NewPayment extends PaymentRequest {
  id: string;
}

interface Decision {
  /** The id of the payment. */
  id: string;
  status: DecidedStatus;
}

interface Decided {
  refunded: number;
}

/**
 * Combines the statements of payments that are read, opened or decided at the same time, and those that remove sent
 * notifications, because a statement and its commit cost nearly the same for one payment as for several. Writes are
 * combined for payments of one store.
 */
export class PaymentBatches {
  private readonly opened = new StoreBatcher(MAX_BATCH, (workspaceId, payments: NewPayment[]) =>
    togetherOrAlone(payments, (some) => this.insert(workspaceId, some)),
  );
  private readonly decided = new StoreBatcher(MAX_BATCH, (workspaceId, decisions: Decision[]) =>
    togetherOrAlone(decisions, (some) => this.decideAll(workspaceId, some)),
  );
  private readonly sent = new StoreBatcher(MAX_BATCH, (workspaceId, ids: string[]) =>
    this.removeAll(workspaceId, ids),
  );
  private readonly reads = new Batcher(3, 12, (ids: string[]) => this.findAll(ids));

  constructor(private readonly db: Database) {}

  find(id: string): Promise<SandboxPayment | undefined> {
    return /^sbx_[0-9a-f]{24}$/.test(id) ? this.reads.submit(id) : Promise.resolve(undefined);
  }

  /** Creates a payment. Returns false if its order already has one. */
  open(payment: NewPayment): Promise<boolean> {
    return this.opened.submit(payment.workspaceId, payment);
  }

  /**
   * Sets the status of a payment and queues a notification, unless the payment was declined. Returns undefined if the
   * payment is final, already has this status or does not exist.
   */
  decide(workspaceId: string, decision: Decision): Promise<Decided | undefined> {
    return this.decided.submit(workspaceId, decision);
  }

  /** Removes a sent notification from the queue. */
  removeSent(workspaceId: string, notificationId: string): Promise<undefined> {
    return this.sent.submit(workspaceId, notificationId);
  }

  private async insert(workspaceId: string, payments: NewPayment[]): Promise<boolean[]> {
    // If an order occurs twice, or if another process opens its payment at the same time, the unique index on order_id
    // lets only one of them create the payment. The orders are sorted, so that two processes cannot deadlock.
    const rows = await ordersOf(this.db, workspaceId).autocommit.query<{ orderId: string }>(sql`
      insert into sandbox_payments (id, workspace_id, order_id, store_name, amount, method, installments, return_url, due_on)
      select id, ${workspaceId}, "orderId", "storeName", amount, method, installments, "returnUrl", "dueOn"
      from jsonb_to_recordset(${JSON.stringify(payments)}::jsonb) as p(id text, "orderId" uuid, "storeName" text,
        amount numeric, method text, installments integer, "returnUrl" text, "dueOn" date)
      order by "orderId"
      on conflict (order_id) do nothing returning order_id as "orderId"`);
    const created = new Set(rows.map(({ orderId }) => orderId));
    return payments.map(({ orderId }) => created.delete(orderId));
  }

  /**
   * A payment that another transaction has locked, and a further decision on one payment, are decided separately, so that
   * no payment waits for another.
   */
  private async decideAll(
    workspaceId: string,
    decisions: Decision[],
  ): Promise<(Decided | undefined | Promise<Decided | undefined>)[]> {
    const { autocommit } = ordersOf(this.db, workspaceId);
    const first = firstOfEach(decisions, ({ id }) => id);
    const decided = await setStatuses(autocommit, first, decideFree);
    return decisions.map(async (decision) => {
      const result = first.includes(decision) ? decided.get(decision.id) : undefined;
      return result ?? (await setStatuses(autocommit, [decision], decideOne)).get(decision.id);
    });
  }

  /** The commit does not wait for the disk. If a crash loses it, the notifications are sent again and change nothing. */
  private async removeAll(workspaceId: string, ids: string[]): Promise<undefined[]> {
    await ordersOf(this.db, workspaceId).autocommit.query(sql`
      delete from sandbox_outbox using (select set_config('synchronous_commit', 'off', true)) unsynced
      where id = any((select ${ids}::text[])::text[])`);
    return ids.map(() => undefined);
  }

  private async findAll(ids: string[]): Promise<(SandboxPayment | undefined)[]> {
    const payments = await this.db.system('payments').query<SandboxPayment>(paymentsById(arrayOf(ids)));
    const found = new Map(payments.map((payment) => [payment.id, payment]));
    return ids.map((id) => found.get(id));
  }
}

async function setStatuses(
  tx: Tx,
  decisions: Decision[],
  statement: (ids: string, decisions: string) => Statement,
): Promise<Map<string, Decided>> {
  const ids = arrayOf(decisions.map(({ id }) => id));
  const rows = await tx.query<Decided & { id: string }>(statement(ids, JSON.stringify(decisions)));
  return new Map(rows.map(({ id, ...decided }) => [id, decided]));
}

/** Leaves out payments that another transaction has locked. */
const decideFree = fixed((ids: string, decisions: string) =>
  decisionStatement(ids, decisions, sql`for update of p skip locked`),
);
const decideOne = fixed((ids: string, decisions: string) =>
  decisionStatement(ids, decisions, sql`for update of p`),
);

/**
 * The decisions must be for different payments. Returns the payments whose status has changed. The ids are repeated in
 * an array, because PostgreSQL expects a hundred decisions in the JSON, and to find so many among some ten thousand
 * payments it plans to read all of them.
 */
function decisionStatement(ids: string, decisions: string, lock: Statement): Statement {
  return sql`
    with undecided as materialized (
      select p.id, p.refunded, asked.status as wanted
      from jsonb_to_recordset(${decisions}::jsonb) as asked(id text, status text)
      join sandbox_payments p on p.id = asked.id
      where p.id = any((select ${ids}::text[])::text[])
        and p.status in ('open', 'declined') and p.status <> asked.status ${lock}
    ),
    changed as (
      update sandbox_payments p set status = undecided.wanted from undecided where p.id = undecided.id
    ),
    queued as (
      insert into sandbox_outbox (id, payment_id, type, refunded_in_all)
      select id || ':' || wanted, id, wanted, refunded from undecided where wanted <> 'declined'
    )
    select id, refunded from undecided`;
}

const paymentsById = fixed(
  (ids: string) => sql`
    select id, workspace_id as "workspaceId", order_id as "orderId", store_name as "storeName", amount, method, installments,
      return_url as "returnUrl", due_on::text as "dueOn", status, refunded
    from sandbox_payments where id = any((select ${ids}::text[])::text[])`,
);
