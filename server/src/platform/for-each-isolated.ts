/**
 * Runs `work` for one item after the other. A failure does not stop the remaining items. All failures are thrown
 * together at the end.
 */
export async function forEachIsolated<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await work(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of ${items.length} failed`);
}
