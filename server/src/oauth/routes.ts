import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { invalidToken } from '../platform/http/errors.js';
import { Id, Nullable, OneOf, Shape, Time } from '../platform/schema/shapes.js';
import { Type } from '../platform/schema/type.js';
import { findStore } from '../stores/queries.js';
import { findApp } from './apps.js';
import { SCOPES } from './scopes.js';

const Me = Shape('Me', {
  workspaceId: Id(),
  name: Type.String({ examples: ['Loja da Ana'] }),
  email: Type.String({
    description: 'Contact address of the store. It may differ from the e-mail its owner signs in with.',
    examples: ['ana@loja.example'],
  }),
  document: Nullable(Type.String({ description: 'Tax number of the store (CPF or CNPJ).' })),
  domain: Nullable(Type.String()),
  currency: OneOf<string>(['BRL']),
  timezone: Type.String({ examples: ['America/Sao_Paulo'] }),
  scopes: Type.Array(OneOf(Object.keys(SCOPES)), { description: 'What this token may do.' }),
  app: Type.Object({ clientId: Type.String(), name: Type.String() }),
  tokenExpiresAt: Time(),
});

export const accountRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/me',
    {
      config: { scope: 'any', etag: true },
      schema: {
        operationId: 'getMe',
        tags: ['Account'],
        summary: 'Read the store and the scopes of the token',
        description: 'The store this token acts for, the scopes it was granted and when it expires.',
        response: { 200: Me },
      },
    },
    async ({ store: db, credential }) => {
      const [store, caller] = await Promise.all([
        findStore(db, credential.workspaceId),
        findApp(db, credential.clientId),
      ]);
      if (!store || !caller) throw invalidToken('the store or the app of this token no longer exists');
      return {
        ...store,
        scopes: [...credential.scopes],
        app: { clientId: caller.clientId, name: caller.name },
        tokenExpiresAt: new Date(credential.expiresAt).toISOString(),
      };
    },
  );
};
