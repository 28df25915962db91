import { expect } from 'vitest';
import { sign } from '../../src/testing.js';
import { type Program, whileListening } from './program.js';

/** Expects a program from the README to print an order.paid event that it receives, and to reject a changed copy. */
export async function expectReceivedWebhook(start: (port: string) => Program, secret: string): Promise<void> {
  const output = await whileListening(start, async (url) => {
    const signed = await sign({ event: 'order.paid', data: { orderId: 'o1' }, workspaceId: 'w1' }, secret);
    expect((await fetch(`${url}/webhooks`, { method: 'POST', ...signed })).status).toBe(204);
    const changed = { ...signed, body: signed.body.replace('o1', 'o2') };
    expect((await fetch(`${url}/webhooks`, { method: 'POST', ...changed })).status).toBe(401);
  });
  expect(output).toContain('Order o1 of w1 is paid');
  expect(output).not.toContain('Order o2');
}
