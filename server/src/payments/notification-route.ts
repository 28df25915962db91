import type {} from '@fastify/swagger';
import type { FastifyPluginAsync } from 'fastify';
import { keepRawBodies } from '../platform/http/json-body.js';
import type { SandboxGateway } from './sandbox/gateway.js';

/** Where the gateway tells us what became of a payment. The signature covers the bytes, so the bytes are kept. */
export const notificationRoute: FastifyPluginAsync<{
  gateway: SandboxGateway;
  wake: { poke(): void };
}> = async (app, { gateway, wake }) => {
  keepRawBodies(app);
  app.post('/payments/sandbox/notifications', { schema: { hide: true } }, async (request, reply) => {
    await gateway.receive({
      body: Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '',
      timestamp: String(request.headers['x-payment-timestamp'] ?? ''),
      signature: String(request.headers['x-payment-signature'] ?? ''),
    });
    wake.poke();
    return reply.send({ received: true });
  });
};
