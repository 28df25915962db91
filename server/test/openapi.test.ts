import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Feira, openFeira } from './support/feira.js';

// The committed openapi.json is the snapshot of what the routes say. After a wanted change: npm run openapi.

let feira: Feira;
beforeAll(async () => {
  feira = await openFeira({ publicUrl: 'http://localhost:3000' });
});
afterAll(() => feira.close());

test('the committed openapi.json says what the routes say', async () => {
  const served = (await feira.app.inject('/openapi.json')).json();
  await expect(`${JSON.stringify(served, null, 2)}\n`).toMatchFileSnapshot('../../openapi.json');
});

test('every call is described, names its scope and has an operation id of its own', async () => {
  const { paths } = (await feira.app.inject('/openapi.json')).json();
  const operations = Object.entries(
    paths as Record<string, Record<string, { operationId: string; summary: string; description: string }>>,
  )
    .filter(([path]) => path.startsWith('/api/v1'))
    .flatMap(([, methods]) => Object.values(methods));
  const routes = feira.app.apiRoutes.filter(({ method }) => method !== 'HEAD');
  expect(operations).toHaveLength(routes.length);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const { summary, description } of operations) {
    expect(summary).toBeTruthy();
    expect(description).toMatch(/Needs (the scope|any valid token)/);
  }
});
