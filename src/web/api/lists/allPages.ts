import type { ListAnswer } from '#web/api/listPages.ts';

/** Reads all rows of a short list, at most `most`; the first page has the total. */
export async function allPages<Row>(
  page: (number: number) => Promise<ListAnswer<Row>>,
  most: number,
): Promise<readonly Row[]> {
  const first = await page(0);
  const others = await Promise.all(
    Array.from({ length: Math.max(0, Math.min(most, first.totalPages ?? 1) - 1) }, (_, index) =>
      page(index + 1),
    ),
  );
  return [first, ...others].flatMap(({ rows }) => rows);
}
