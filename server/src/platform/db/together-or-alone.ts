import { isLockConflict, isTemporary } from './unavailable.js';

/**
 * Executes a statement for several items. If it fails, it is executed for each item alone, because an error that one
 * item causes must not affect the others. If the database is unreachable or overloaded, all items fail.
 */
export async function togetherOrAlone<Item, Result>(
  items: Item[],
  execute: (items: Item[]) => Promise<(Result | Promise<Result>)[]>,
): Promise<(Result | Promise<Result>)[]> {
  try {
    return await execute(items);
  } catch (error) {
    if (items.length === 1 || (isTemporary(error) && !isLockConflict(error))) throw error;
    return items.map(async (item) => (await execute([item]))[0] as Result);
  }
}
