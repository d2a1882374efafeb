import { isShared } from './database.ts';

/** An item that its own work failed for. */
export type FailedItem<Item> = { item: Item; error: unknown };

/**
 * Does work on many items at once, and on each by itself when that fails: no item fails for another's
 * fault. Only for work that changes nothing when it throws.
 *
 * @param isFatal errors that all items would meet, besides trouble of the database itself.
 * @returns the items that failed by themselves, each with its error; none when there are no items.
 * @throws the error, when it is the database's trouble or fatal: then some items may be done, and none is lost.
 */
export async function eachByItself<Item>(
  items: readonly Item[],
  work: (some: readonly Item[]) => Promise<unknown>,
  isFatal: (error: unknown) => boolean = () => false,
): Promise<FailedItem<Item>[]> {
  if (items.length === 0) return [];
  try {
    await work(items);
    return [];
  } catch (error) {
    if (isShared(error) || isFatal(error)) throw error;
    const [item] = items;
    if (items.length === 1 && item !== undefined) return [{ item, error }];
  }
  const failed: FailedItem<Item>[] = [];
  for (const item of items) failed.push(...(await eachByItself([item], work, isFatal)));
  return failed;
}
