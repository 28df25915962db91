import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Feira, openFeira } from '../support/feira.js';
import { authorizationQuery, CALLBACK, Integrator } from '../support/integrator.js';
import { answerOf, Merchant, openStore } from '../support/merchant.js';

const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;

let feira: Feira;
let erp: Integrator;
let ana: Merchant;
let filial: string;

beforeAll(async () => {
  feira = await openFeira();
  await openStore(feira);
  filial = await openStore(feira, { name: 'Loja da Ana, filial' });
  erp = await Integrator.register(feira);
  ana = new Merchant(feira.app);
});
// Signs in unless the session is still valid. Some tests move the clock by more than its lifetime of twelve hours.
const signedIn = async () => {
  if ((await ana.get('/sign-in')).status === 200) await ana.signIn();
  return ana;
};
afterAll(() => feira.close());

const outcome = ({ status, body }: Answer) => [status, body.error];
const REFUSED = [400, 'invalid_grant'];

describe('an authorization code', () => {
  test('is still valid after 599 seconds', async () => {
    const grant = await erp.authorized(await signedIn());
    feira.clock.forward(599 * SECOND);
    expect((await erp.exchange(grant)).status).toBe(200);
  });

  test('is expired after 600 seconds', async () => {
    const grant = await erp.authorized(await signedIn());
    feira.clock.forward(600 * SECOND);
    expect(outcome(await erp.exchange(grant))).toEqual(REFUSED);
  });

  test('is rejected for another app, and its own app can still use it', async () => {
    const thief = await Integrator.register(feira);
    const grant = await erp.authorized(await signedIn());
    expect(outcome(await thief.exchange(grant))).toEqual(REFUSED);
    expect((await erp.exchange(grant)).status).toBe(200);
  });

  test('is bound to the redirect_uri of its request, even if the app has registered others', async () => {
    const redirectUris = [CALLBACK, `${CALLBACK}/2`];
    const app = await Integrator.register(feira, { redirectUris });
    const grant = await app.authorized(await signedIn());
    expect(outcome(await app.exchange(grant, { redirect_uri: `${CALLBACK}/2` }))).toEqual(REFUSED);
    expect(outcome(await app.exchange(grant, { redirect_uri: `${CALLBACK}/` }))).toEqual(REFUSED);
    expect((await app.exchange(grant)).status).toBe(200);
  });

  test.each(['feira_ac_', `feira_ac_${'a'.repeat(43)}`, `feira_ac_${'\0'.repeat(43)}`, '\0', 'é'])(
    'that was never issued is rejected: %j',
    async (code) => {
      expect(outcome(await erp.exchange({ code, verifier: 'a'.repeat(43) }))).toEqual(REFUSED);
    },
  );

  test('used a second time is rejected and immediately revokes the tokens issued from it, and no others', async () => {
    const other = await erp.connected(await signedIn());
    const grant = await erp.authorized(ana);
    const first = (await erp.exchange(grant)).body;
    const second = (await erp.refresh(first.refresh_token)).body;
    expect((await erp.me(first.access_token)).status).toBe(200);
    expect((await erp.me(second.access_token)).status).toBe(200);
    expect(outcome(await erp.exchange(grant))).toEqual(REFUSED);
    expect((await erp.me(first.access_token)).status).toBe(401);
    expect((await erp.me(second.access_token)).status).toBe(401);
    expect(outcome(await erp.refresh(second.refresh_token))).toEqual(REFUSED);
    expect((await erp.me(other.access_token)).status).toBe(200);
    expect((await erp.refresh(other.refresh_token)).status).toBe(200);
  });

  test('used a second time by another app revokes nothing', async () => {
    const thief = await Integrator.register(feira);
    const grant = await erp.authorized(await signedIn());
    const tokens = (await erp.exchange(grant)).body;
    expect(outcome(await thief.exchange(grant))).toEqual(REFUSED);
    expect((await erp.me(tokens.access_token)).status).toBe(200);
  });
});

describe('an access token', () => {
  test('is still valid after 7,199 seconds and expired after 7,200, even if it is cached', async () => {
    const { access_token } = await erp.connected(await signedIn());
    feira.clock.forward(7_199 * SECOND);
    expect((await erp.me(access_token)).status).toBe(200);
    feira.clock.forward(SECOND);
    const answer = await erp.me(access_token);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
  });

  test('is not accepted as a refresh token, nor is a refresh token accepted as an access token', async () => {
    const tokens = await erp.connected(await signedIn());
    expect(outcome(await erp.refresh(tokens.access_token))).toEqual(REFUSED);
    expect((await erp.me(tokens.refresh_token)).status).toBe(401);
  });
});

describe('a refresh token', () => {
  test('is valid until 30 days have passed, and a refresh returns a new one that is valid for another 30 days', async () => {
    let { refresh_token } = await erp.connected(await signedIn());
    for (let use = 0; use < 3; use++) {
      feira.clock.forward(30 * DAY - SECOND);
      const answer = await erp.refresh(refresh_token);
      expect(answer.status).toBe(200);
      refresh_token = answer.body.refresh_token;
    }
  });

  test('is expired after 30 days', async () => {
    const { refresh_token } = await erp.connected(await signedIn());
    feira.clock.forward(30 * DAY);
    expect(outcome(await erp.refresh(refresh_token))).toEqual(REFUSED);
  });

  test('used a second time invalidates all refresh tokens of the grant, while the access tokens stay valid', async () => {
    const first = await erp.connected(await signedIn());
    const second = (await erp.refresh(first.refresh_token)).body;
    const third = (await erp.refresh(second.refresh_token)).body;
    expect(outcome(await erp.refresh(first.refresh_token))).toEqual(REFUSED);
    expect(outcome(await erp.refresh(second.refresh_token))).toEqual(REFUSED);
    expect(outcome(await erp.refresh(third.refresh_token))).toEqual(REFUSED);
    for (const tokens of [first, second, third]) expect((await erp.me(tokens.access_token)).status).toBe(200);
  });

  test('of another app is rejected and stays valid', async () => {
    const thief = await Integrator.register(feira);
    const { refresh_token } = await erp.connected(await signedIn());
    expect(outcome(await thief.refresh(refresh_token))).toEqual(REFUSED);
    expect((await erp.refresh(refresh_token)).status).toBe(200);
  });
});

describe('authorizing again', () => {
  test('adds a second grant; both work and share one rate limit', async () => {
    const app = await Integrator.register(feira);
    const first = await app.connected(await signedIn());
    const second = await app.connected(ana);
    const remaining = [];
    for (const { access_token } of [first, second, first, second])
      remaining.push(Number((await app.me(access_token)).headers['x-ratelimit-remaining']));
    expect(remaining).toEqual([119, 118, 117, 116]);
    expect((await app.refresh(first.refresh_token)).status).toBe(200);
    expect((await app.refresh(second.refresh_token)).status).toBe(200);
  });

  test('for another store returns a token of that store, with its own rate limit', async () => {
    const app = await Integrator.register(feira);
    const first = await app.connected(await signedIn());
    const second = await app.connected(ana, { store: filial });
    const answers = [await app.me(first.access_token), await app.me(second.access_token)];
    expect(answers.map(({ body }) => body.name)).toEqual(['Loja da Ana', 'Loja da Ana, filial']);
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['119', '119']);
  });

  test('with fewer scopes does not reduce the scopes of the first grant', async () => {
    const app = await Integrator.register(feira);
    const first = await app.connected(await signedIn());
    const second = await app.exchange(await app.authorized(ana, {}, { scope: 'categories:read' }));
    expect(second.body.scope).toBe('categories:read');
    expect((await app.me(first.access_token)).body.scopes).toEqual(['products:read', 'orders:read']);
  });
});

describe('RFC 7009 revocation', () => {
  test('of an access token takes effect immediately, and the refresh token stays valid', async () => {
    const tokens = await erp.connected(await signedIn());
    expect((await erp.me(tokens.access_token)).status).toBe(200);
    expect(await erp.revoke(tokens.access_token)).toMatchObject({ status: 200, body: {} });
    expect((await erp.me(tokens.access_token)).status).toBe(401);
    expect((await erp.refresh(tokens.refresh_token)).status).toBe(200);
  });

  test('of a refresh token also revokes the access tokens of its grant immediately', async () => {
    const tokens = await erp.connected(await signedIn());
    expect((await erp.me(tokens.access_token)).status).toBe(200);
    expect((await erp.revoke(tokens.refresh_token)).status).toBe(200);
    expect((await erp.me(tokens.access_token)).status).toBe(401);
    expect(outcome(await erp.refresh(tokens.refresh_token))).toEqual(REFUSED);
  });

  test('of an unknown token, or one of another app, returns 200 and changes nothing', async () => {
    const thief = await Integrator.register(feira);
    const tokens = await erp.connected(await signedIn());
    for (const token of [tokens.access_token, tokens.refresh_token, 'unknown', '\0'])
      expect((await thief.revoke(token)).status).toBe(200);
    expect((await erp.me(tokens.access_token)).status).toBe(200);
    expect((await erp.refresh(tokens.refresh_token)).status).toBe(200);
  });

  test('requires the credentials of the client, and a token', async () => {
    const stranger = new Integrator(feira.app, { ...erp.credentials, clientSecret: 'wrong' });
    expect(outcome(await stranger.revoke('x'))).toEqual([401, 'invalid_client']);
    expect(outcome(await erp.revoke(''))).toEqual([400, 'invalid_request']);
  });
});

test('the app gets no code when the merchant denies access', async () => {
  const answer = answerOf(await (await signedIn()).deny(authorizationQuery(erp.credentials)));
  expect(answer).not.toHaveProperty('code');
});
