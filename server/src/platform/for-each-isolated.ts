/** Runs `work` for each thing in turn. A failure does not stop the others; all failures are thrown together at the end. */
export async function forEachIsolated<T>(things: T[], work: (thing: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const thing of things) await work(thing).catch((error: unknown) => failures.push(error));
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${things.length} failed`);
}
