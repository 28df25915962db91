/**
 * Returns the size of a race test or a randomized test: small in `npm test`, large in `npm run test:long`, which runs
 * the same files again (see LARGE in vitest.config.ts). The environment variable named by `variable` overrides both.
 */
export function sized(fast: number, long: number, variable?: string): number {
  const given = variable === undefined ? undefined : process.env[variable];
  return Number(given ?? (process.env.FEIRA_LARGE_TESTS ? long : fast));
}
