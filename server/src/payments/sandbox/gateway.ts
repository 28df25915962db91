import { randomBytes } from 'node:crypto';
import { ordersOf } from '../../orders/storage.js';
import type { Clock } from '../../platform/clock.js';
import type { Signer } from '../../platform/crypto/signer.js';
import type { Database } from '../../platform/db/database.js';
import type { Tx } from '../../platform/db/share.js';
import { sql } from '../../platform/db/sql.js';
import { forEachIsolated } from '../../platform/for-each-isolated.js';
import { conflict } from '../../platform/http/errors.js';
import { isDue, postpone } from '../../platform/postpone.js';
import type { Attention } from '../apply-notification.js';
import type { Notification, PaymentGateway, PaymentRequest } from '../gateway.js';
import { receiveNotification, type SignedNotification, signNotification } from '../notifications.js';
import { PaymentLinks } from './payment-links.js';

export interface SandboxPayment {
  id: string;
  workspaceId: string;
  orderId: string;
  storeName: string;
  amount: number;
  method: string;
  installments: number;
  returnUrl: string;
  status: 'open' | 'paid' | 'declined' | 'canceled';
  refunded: number;
}

/**
 * A gateway with books of its own and no money: a buyer pays or is declined on its page, it can refund from its side,
 * and it tells us under a signature, as a real one would.
 */
export class SandboxGateway implements PaymentGateway {
  readonly name = 'sandbox';
  readonly links: PaymentLinks;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly signer: Signer,
    publicUrl: string,
    /** Called for a notification that a person should look at. */
    private readonly report: (attention: Attention, notification: Notification) => void = () => {},
  ) {
    this.links = new PaymentLinks(publicUrl, signer);
  }

  async open(request: PaymentRequest): Promise<{ transactionId: string; paymentUrl: string }> {
    const id = await ordersOf(this.db, request.workspaceId).transaction(async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`payment ${request.orderId}`}, 0))`);
      const [known] = await tx.query<{ id: string }>(sql`
        select id from sandbox_payments where workspace_id = ${request.workspaceId} and order_id = ${request.orderId}`);
      if (known) return known.id;
      const made = `sbx_${randomBytes(12).toString('hex')}`;
      await tx.query(sql`
        insert into sandbox_payments (id, workspace_id, order_id, store_name, amount, method, installments, return_url)
        values (${made}, ${request.workspaceId}, ${request.orderId}, ${request.storeName}, ${request.amount}, ${request.method},
                ${request.installments}, ${request.returnUrl})`);
      return made;
    });
    return { transactionId: id, paymentUrl: this.links.urlOf(id) };
  }

  async find(id: string): Promise<SandboxPayment | undefined> {
    if (!/^sbx_[0-9a-f]{24}$/.test(id)) return undefined;
    const [payment] = await this.db.system('payments').query<SandboxPayment>(sql`
      select id, workspace_id as "workspaceId", order_id as "orderId", store_name as "storeName", amount, method, installments,
        return_url as "returnUrl", status, refunded
      from sandbox_payments where id = ${id}`);
    return payment;
  }

  /** For the payment page: only with the key of its address. */
  async findByKey(id: string, key: string): Promise<SandboxPayment | undefined> {
    return this.links.isKey(id, key) ? this.find(id) : undefined;
  }

  /** The gateway knows orders, not stores: an id is only ever one order's. */
  async findByOrder(orderId: string): Promise<SandboxPayment | undefined> {
    const [payment] = await this.db
      .system('payments')
      .query<{ id: string }>(sql`select id from sandbox_payments where order_id = ${orderId}`);
    return payment && this.find(payment.id);
  }

  /** A notification that came over the wire. */
  async receive(signed: SignedNotification): Promise<void> {
    const { notification, attention } = await receiveNotification(this.db, this.clock, this.signer, signed);
    if (attention) this.report(attention, notification);
  }

  /** The buyer's choice on the payment page, or the operator's on the command line. */
  async decide(id: string, decision: 'paid' | 'declined' | 'canceled'): Promise<void> {
    await this.change(id, async (tx, before) => {
      if (before.status === decision) return;
      if (before.status !== 'open' && before.status !== 'declined')
        throw conflict('payment_final', `The payment is ${before.status} already`);
      await tx.query(sql`update sandbox_payments set status = ${decision} where id = ${id}`);
      if (decision !== 'declined') await this.owe(tx, `${id}:${decision}`, id, decision);
    });
    await this.tellOrLeave(id);
  }

  /** From the gateway's side, as a merchant does in its back office. Without an amount: the balance. */
  async refundFromHere(id: string, amount: number | undefined): Promise<void> {
    const requestId = randomBytes(12).toString('hex');
    await this.give(id, requestId, amount, (tx) => this.owe(tx, `${id}:refund:${requestId}`, id, 'refunded'));
    await this.tellOrLeave(id);
  }

  /**
   * Sends all notifications that are due. A gateway that dies between a change and its notification sends it later: the
   * worker asks. A payment whose notification fails is put off and keeps none of the others back.
   */
  async tell(): Promise<void> {
    const owing = await this.db.background('payments').query<{ id: string }>(sql`
      select payment_id as id from sandbox_outbox
      group by payment_id having bool_and(${isDue(this.clock)}) order by min(created_at) limit 100`);
    await forEachIsolated(owing, ({ id }) => this.tellOf(id));
  }

  async refund(transactionId: string, requestId: string, amount: number): Promise<{ refundedInAll: number }> {
    const { refunded } = await this.give(transactionId, requestId, amount);
    return { refundedInAll: refunded };
  }

  /** What was decided is decided, whether we hear of it now or from the worker. */
  private async tellOrLeave(id: string): Promise<void> {
    await this.tellOf(id).catch(() => {});
  }

  /** Sends the notifications of a payment in the order of their changes, up to the first that fails. */
  private async tellOf(id: string): Promise<void> {
    const owed = await this.db.system('payments').query<Notification>(sql`
      select o.id, o.type, p.workspace_id as "workspaceId", p.order_id as "orderId", p.id as "transactionId",
        p.amount, o.refunded_in_all as "refundedInAll"
      from sandbox_outbox o join sandbox_payments p on p.id = o.payment_id where o.payment_id = ${id} order by o.created_at`);
    for (const notification of owed) {
      const signed = signNotification(this.signer, notification, this.clock.now());
      await this.receive(signed).catch(async (error: unknown) => {
        await ordersOf(this.db, notification.workspaceId).autocommit.query(
          sql`update sandbox_outbox set ${postpone(this.clock)} where payment_id = ${id}`,
        );
        throw error;
      });
      await ordersOf(this.db, notification.workspaceId).autocommit.query(
        sql`delete from sandbox_outbox where id = ${notification.id}`,
      );
    }
  }

  /** The primary key of sandbox_refunds is what makes a repeated request one movement. */
  private give(
    id: string,
    requestId: string,
    asked: number | undefined,
    also?: (tx: Tx) => Promise<void>,
  ): Promise<SandboxPayment> {
    return this.change(id, async (tx, before) => {
      const [known] = await tx.query(
        sql`select 1 from sandbox_refunds where payment_id = ${id} and request_id = ${requestId}`,
      );
      if (known) return;
      if (before.status !== 'paid')
        throw conflict('nothing_to_refund', `The payment is ${before.status}; there is nothing to refund`);
      const balance = Math.round((before.amount - before.refunded) * 100) / 100;
      const amount = asked ?? balance;
      if (amount <= 0 || amount > balance)
        throw conflict('over_balance', `The balance of the payment is ${balance.toFixed(2)}`);
      await tx.query(
        sql`insert into sandbox_refunds (payment_id, request_id, amount) values (${id}, ${requestId}, ${amount})`,
      );
      await tx.query(
        sql`update sandbox_payments set refunded = refunded + ${amount}::numeric where id = ${id}`,
      );
      await also?.(tx);
    });
  }

  private async owe(tx: Tx, id: string, paymentId: string, type: Notification['type']): Promise<void> {
    await tx.query(sql`
      insert into sandbox_outbox (id, payment_id, type, refunded_in_all)
      select ${id}, id, ${type}, refunded from sandbox_payments where id = ${paymentId}`);
  }

  private async change(
    id: string,
    work: (tx: Tx, before: SandboxPayment) => Promise<void>,
  ): Promise<SandboxPayment> {
    const payment = await this.find(id);
    if (!payment) throw conflict('no_such_payment', `No payment ${id} found`);
    await ordersOf(this.db, payment.workspaceId).transaction(async (tx) => {
      const [before] = await tx.query<SandboxPayment>(
        sql`select status, amount, refunded from sandbox_payments where id = ${id} for update`,
      );
      await work(tx, before!);
    });
    return (await this.find(id)) as SandboxPayment;
  }
}
