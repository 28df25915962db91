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
import { Notifications, type SignedNotification, signNotification } from '../notifications.js';
import type { SandboxPayment } from './payment.js';
import { type DecidedStatus, PaymentBatches } from './payment-batches.js';
import { PaymentLinks } from './payment-links.js';

/**
 * A gateway that simulates payments and keeps its own records. On its payment page the buyer chooses whether the
 * payment succeeds or is declined. Like a real gateway, it sends signed notifications, and merchants can make refunds
 * in it.
 */
export class SandboxGateway implements PaymentGateway {
  readonly name = 'sandbox';
  readonly links: PaymentLinks;
  private readonly notifications: Notifications;
  private readonly payments: PaymentBatches;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly signer: Signer,
    publicUrl: string,
    /** Called for a notification that needs manual review. */
    private readonly report: (attention: Attention, notification: Notification) => void = () => {},
  ) {
    this.links = new PaymentLinks(publicUrl, signer);
    this.notifications = new Notifications(db, clock, signer);
    this.payments = new PaymentBatches(db);
  }

  /** Returns `sbx_` and the last 24 digits of the order id, most of which are random. */
  transactionIdOf(orderId: string): string {
    return `sbx_${orderId.replaceAll('-', '').slice(-24)}`;
  }

  async open(request: PaymentRequest): Promise<{ transactionId: string; paymentUrl: string }> {
    const id = this.transactionIdOf(request.orderId);
    const isNew = await this.payments.open({ ...request, id });
    const transactionId = isNew
      ? id
      : (await reopen(ordersOf(this.db, request.workspaceId).autocommit, request)).id;
    return { transactionId, paymentUrl: this.links.urlOf(transactionId) };
  }

  find(id: string): Promise<SandboxPayment | undefined> {
    return this.payments.find(id);
  }

  /** Finds a payment by the id and key in the URL of its page. */
  async findByKey(id: string, key: string): Promise<SandboxPayment | undefined> {
    return this.links.isKey(id, key) ? this.find(id) : undefined;
  }

  /** Order ids are unique across stores, so the store is not needed here. */
  async findByOrder(orderId: string): Promise<SandboxPayment | undefined> {
    const [payment] = await this.db
      .system('payments')
      .query<{ id: string }>(sql`select id from sandbox_payments where order_id = ${orderId}`);
    return payment && this.find(payment.id);
  }

  /** Handles a signed notification, either from the HTTP route or from send(). */
  async receive(signed: SignedNotification): Promise<void> {
    const { notification, attention } = await this.notifications.receive(signed);
    if (attention) this.report(attention, notification);
  }

  /** Pays, declines or cancels a payment, for commands and tests. The payment page uses `decideOn`. */
  async decide(id: string, decision: DecidedStatus): Promise<void> {
    const payment = await this.find(id);
    if (!payment) throw conflict('no_such_payment', `No payment ${id} found`);
    await this.decideOn(payment, decision);
  }

  /** Like `decide`, for a caller that has already read the payment. The status may have changed since then. */
  async decideOn(payment: SandboxPayment, decision: DecidedStatus): Promise<void> {
    const { id, workspaceId, orderId, amount } = payment;
    const decided = await this.payments.decide(workspaceId, { id, status: decision });
    if (!decided) {
      const status = (await this.find(id))?.status;
      if (status !== decision) throw conflict('payment_final', `The payment is already ${status}`);
      return this.tryToNotify(id);
    }
    if (decision === 'declined') return;
    // Until now the payment was open or declined, so it has no older notification in the queue that must be sent first.
    const reported = { workspaceId, orderId, transactionId: id, amount, refundedInAll: decided.refunded };
    await this.send({ id: `${id}:${decision}`, type: decision, ...reported }).catch(() => {});
  }

  /** Makes a refund, as a merchant can in a real gateway's back office. By default, the whole balance is refunded. */
  async refundAsMerchant(id: string, amount: number | undefined): Promise<void> {
    const requestId = randomBytes(12).toString('hex');
    await this.recordRefund(id, requestId, amount, async (tx) => {
      await tx.query(sql`
        insert into sandbox_outbox (id, payment_id, type, refunded_in_all)
        select ${`${id}:refund:${requestId}`}, id, 'refunded', refunded from sandbox_payments where id = ${id}`);
    });
    await this.tryToNotify(id);
  }

  /**
   * Sends the due notifications of up to 100 payments. The worker calls this regularly, so a notification is sent even
   * if the process that changed the payment stopped before sending it. If a notification fails, it is retried later and
   * does not delay the notifications of other payments.
   */
  async sendNotifications(): Promise<void> {
    const due = await this.db.background('payments').query<{ id: string }>(sql`
      select payment_id as id from sandbox_outbox
      group by payment_id having bool_and(${isDue(this.clock)}) order by min(created_at) limit 100`);
    await forEachIsolated(due, ({ id }) => this.sendNotificationsOf(id));
  }

  async refund(transactionId: string, requestId: string, amount: number): Promise<{ refundedInAll: number }> {
    const { refunded } = await this.recordRefund(transactionId, requestId, amount);
    return { refundedInAll: refunded };
  }

  /** If sending fails, the worker sends the notifications later. */
  private async tryToNotify(id: string): Promise<void> {
    await this.sendNotificationsOf(id).catch(() => {});
  }

  /** Sends the notifications of a payment, oldest first, up to the first that fails. */
  private async sendNotificationsOf(id: string): Promise<void> {
    const queued = await this.db.system('payments').query<Notification>(sql`
      select o.id, o.type, p.workspace_id as "workspaceId", p.order_id as "orderId", p.id as "transactionId",
        p.amount, o.refunded_in_all as "refundedInAll"
      from sandbox_outbox o join sandbox_payments p on p.id = o.payment_id where o.payment_id = ${id} order by o.created_at`);
    for (const notification of queued) await this.send(notification);
  }

  /** Sends a queued notification. If that fails, all queued notifications of its payment are postponed. */
  private async send(notification: Notification): Promise<void> {
    const { autocommit } = ordersOf(this.db, notification.workspaceId);
    const signed = signNotification(this.signer, notification, this.clock.now());
    await this.receive(signed).catch(async (error: unknown) => {
      await autocommit.query(
        sql`update sandbox_outbox set ${postpone(this.clock)} where payment_id = ${notification.transactionId}`,
      );
      throw error;
    });
    await this.payments.removeSent(notification.workspaceId, notification.id);
  }

  /** Records a refund. If the request is already recorded, nothing changes. */
  private recordRefund(
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
        throw conflict(
          'over_balance',
          `A refund must be more than 0 and at most the balance of the payment, which is ${balance.toFixed(2)}`,
        );
      await tx.query(
        sql`insert into sandbox_refunds (payment_id, request_id, amount) values (${id}, ${requestId}, ${amount})`,
      );
      await tx.query(
        sql`update sandbox_payments set refunded = refunded + ${amount}::numeric where id = ${id}`,
      );
      await also?.(tx);
    });
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

/**
 * Returns the existing payment of an order. If the payment is open or declined and the buyer has chosen another method
 * or number of installments, first stores this choice and sets the status to open.
 */
async function reopen(
  tx: Tx,
  { workspaceId, orderId, method, installments, dueOn }: PaymentRequest,
): Promise<{ id: string }> {
  await tx.query(sql`
    update sandbox_payments set method = ${method}, installments = ${installments}, due_on = ${dueOn}, status = 'open'
    where workspace_id = ${workspaceId} and order_id = ${orderId} and status in ('open', 'declined')
      and (method, installments) <> (${method}, ${installments})`);
  const [known] = await tx.query<{ id: string }>(sql`
    select id from sandbox_payments where workspace_id = ${workspaceId} and order_id = ${orderId}`);
  return known!;
}
