import { isDatabaseFailure } from './database.ts';

export type FailedItem<Item> = { item: Item; error: unknown };

/**
 * Runs work on all items, or one by one if that fails. Only for work that changes nothing if it throws.
 *
 * @param isFatal errors that would hit all items, besides database errors.
 * @returns the items that failed by themselves, each with its error.
 * @throws database errors and fatal errors: some items may then be done, and none is lost.
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
    if (isDatabaseFailure(error) || isFatal(error)) throw error;
    const [item] = items;
    if (items.length === 1 && item !== undefined) return [{ item, error }];
  }
  const failed: FailedItem<Item>[] = [];
  for (const item of items) failed.push(...(await eachByItself([item], work, isFatal)));
  return failed;
}
