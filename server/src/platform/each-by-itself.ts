/** One after the other; those that fail are told of at the end, when all have had their turn. */
export async function eachByItself<T>(things: T[], work: (thing: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const thing of things) await work(thing).catch((error: unknown) => failures.push(error));
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${things.length} failed`);
}
