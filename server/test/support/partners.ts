import { expect } from 'vitest';
import type { Feira } from './feira.js';
import { CALLBACK, Integrator } from './integrator.js';
import { Merchant, PASSWORD, type Page } from './merchant.js';

/** Signs up an integrator and returns their browser. */
export async function signUpIntegrator({ app }: Feira, email: string, address?: string): Promise<Merchant> {
  const browser = new Merchant(app, {}, address);
  const typed = { email, password: PASSWORD };
  const page = await browser.press(await browser.get('/partners'), 'Create account', typed);
  expect([page.status, page.location]).toEqual([303, '/partners']);
  return browser;
}

/** Registers an app, and returns the page that follows: the page of the app, or the form with its errors. */
export async function register(by: Merchant, typed: Record<string, string> = {}): Promise<Page> {
  const form = { name: 'My ERP', 'redirect-uris': CALLBACK, contact: 'dev@erp.example' };
  return followed(by, by.press(await by.get('/partners/apps/new'), 'Register', { ...form, ...typed }));
}

export async function followed(by: Merchant, pressed: Promise<Page>): Promise<Page> {
  const page = await pressed;
  return page.status === 303 ? by.get(page.location!) : page;
}

export const clientIdOn = (page: Page) => /app_[0-9a-f]{24}/.exec(page.text)![0];
export const secretOn = (page: Page) => /feira_cs_[\w-]{43}/.exec(page.text)?.[0];

/**
 * Returns whether the token endpoint accepts the secret. The endpoint checks the secret before the refresh token, so a
 * refresh token that does not exist is enough.
 */
export async function isLive({ app }: Feira, clientId: string, clientSecret: string): Promise<boolean> {
  const { body } = await new Integrator(app, { clientId, clientSecret }).refresh('unknown');
  return body.error === 'invalid_grant';
}
