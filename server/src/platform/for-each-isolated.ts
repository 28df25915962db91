/**
 * Runs `work` for each item in turn. A failure does not stop the others; all failures are thrown together at the end.
 */
export async function forEachIsolated<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await work(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of ${items.length} failed`);
}
