import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstStarts, readPage, startOf, startsAfter } from '#web/api/listPages.ts';

const rows = [{ id: 1 }, { id: 2 }];
const nothing = { rows: [], totalPages: 0, count: 0 };

test('reads the rows and page count of each paging type from its own field', () => {
  expect(readPage('default', { result: { data: rows, total_page: 7 } })).toMatchObject({
    rows,
    totalPages: 7,
  });
  const searched = { data: rows, total_page: 7, searched: 2016 };
  expect(readPage('default', { result: searched })).toMatchObject({
    totalPages: 7,
    searched: 2016,
  });
  expect(readPage('arrow', { result: { data: rows, total: 63 } })).toMatchObject({
    rows,
    totalPages: 7,
  });
  expect(readPage('manual', { data: rows, count: 20 })).toEqual({
    rows,
    totalPages: undefined,
    count: 20,
  });
});

test('moves by the number of rows when a manual answer has no count', () => {
  expect(readPage('manual', { data: rows }).count).toBe(2);
});

test('accepts numbers as texts, and no page count for anything else', () => {
  const pages = (total_page: unknown) =>
    readPage('default', { result: { data: [], total_page } }).totalPages;
  expect([pages('12'), pages(2.5), pages(0)]).toEqual([12, 2, 0]);
  for (const wrong of [-1, NaN, Infinity, 'banyak', '', null, undefined, true, [3], {}]) {
    expect(pages(wrong)).toBe(0);
  }
});

test.each([
  'tidak ada',
  '',
  null,
  undefined,
  42,
  true,
  [],
  [1, 2],
  {},
  { data: 'x' },
  { result: null },
  { result: [1] },
  { result: 'kosong' },
])('%j is an empty list of no pages, however it is paged', (body) => {
  expect(readPage('default', body)).toEqual(nothing);
  expect(readPage('arrow', body)).toEqual(nothing);
  expect(readPage('manual', body)).toEqual(nothing);
});

test('reads any reply without failing', () => {
  fc.assert(
    fc.property(fc.constantFrom('default', 'arrow', 'manual'), fc.anything(), (paging, body) => {
      const { rows: read, totalPages = 0, count } = readPage(paging, body);
      expect(Array.isArray(read)).toBe(true);
      expect(Number.isSafeInteger(totalPages) && totalPages >= 0).toBe(true);
      expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
    }),
  );
});

test('starts a page where the previous one ended', () => {
  const first = startsAfter(firstStarts, 1, 20);
  const second = startsAfter(first, 2, 7);
  expect([1, 2, 3].map((page) => startOf(second, page))).toEqual([0, 20, 27]);
});

test('estimates an unvisited page in whole pages after the nearest known one', () => {
  expect(startOf(firstStarts, 4)).toBe(30);
  expect(startOf(startsAfter(firstStarts, 1, 25), 4)).toBe(45);
  expect(startOf(firstStarts, 1_000_000_000)).toBe(9_999_999_990);
});

test('keeps the starts when an answer adds nothing', () => {
  const known = startsAfter(firstStarts, 1, 10);
  expect(startsAfter(known, 1, 10)).toBe(known);
});
