import type {} from '@fastify/swagger';
import type { FastifyPluginAsync } from 'fastify';
import { signedInForm } from '../accounts/forms.js';
import type { Sessions } from '../accounts/sessions.js';
import { signedInUserOf, signInAddress } from '../accounts/sign-in-routes.js';
import { storesOwnedBy } from '../accounts/users.js';
import { listPaymentsToCheck, markPaymentChecked } from '../payments/to-check.js';
import type { Database } from '../platform/db/database.js';
import { languageOf } from '../platform/html/language.js';
import { sendPage } from '../platform/html/page.js';
import { requireOwnedStore } from './owned-store.js';
import { PaymentsPage } from './pages/payments.js';

/** The page on which a merchant checks payments that did not match their orders. */
export const paymentsToCheckRoutes: FastifyPluginAsync<{ db: Database; sessions: Sessions }> = async (
  app,
  { db, sessions },
) => {
  app.get('/console/payments', { schema: { hide: true } }, async (request, reply) => {
    const session = await sessions.find(request);
    if (!session) return reply.redirect(signInAddress(request.url), 303);
    const owned = await storesOwnedBy(db.system('accounts'), session.userId);
    const stores = await Promise.all(
      owned.map(async (store) => ({
        ...store,
        payments: await listPaymentsToCheck(db.store(store.workspaceId), store.workspaceId),
      })),
    );
    return sendPage(
      reply,
      <PaymentsPage
        language={languageOf(request.headers['accept-language'])}
        who={signedInUserOf(sessions, request, reply, session)}
        stores={stores}
        csrf={(workspaceId, id) => sessions.csrfToken(request, reply, checking(workspaceId, id))}
      />,
    );
  });

  app.post('/console/payments/checked', { schema: { hide: true } }, async (request, reply) => {
    const { session, fields } = await signedInForm(sessions, request, (form) =>
      checking(form.text('store'), form.text('payment')),
    );
    const workspaceId = fields.text('store');
    await requireOwnedStore(db, session, workspaceId);
    await markPaymentChecked(db.store(workspaceId).autocommit, workspaceId, fields.text('payment'));
    return reply.redirect('/console/payments', 303);
  });
};

function checking(workspaceId: string, id: string): string {
  return `check payment\n${workspaceId}\n${id}`;
}
