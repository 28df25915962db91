import type {} from '@fastify/swagger';
import type { FastifyPluginAsync } from 'fastify';
import { keepRawBodies } from '../../platform/http/json-body.js';
import type { SandboxOptions } from './routes.js';

/** Receives the gateway's notifications. The body is not parsed, because the signature covers its exact bytes. */
export const notificationRoute: FastifyPluginAsync<SandboxOptions> = async (app, { gateway, wake }) => {
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
