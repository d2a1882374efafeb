import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstStarts, readPage, startOf, startsAfter } from '#web/api/listPages.ts';

const rows = [{ id: 1 }, { id: 2 }];
const nothing = { rows: [], totalPages: 0, count: 0 };

test('each paging type has its rows and its number of pages in a place of its own', () => {
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

test('a manual answer that does not count moves by the rows that it brought', () => {
  expect(readPage('manual', { data: rows }).count).toBe(2);
});

test('numbers may come as texts; what is no number of pages is none', () => {
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

test('no reply whatever breaks the table', () => {
  fc.assert(
    fc.property(fc.constantFrom('default', 'arrow', 'manual'), fc.anything(), (paging, body) => {
      const { rows: read, totalPages = 0, count } = readPage(paging, body);
      expect(Array.isArray(read)).toBe(true);
      expect(Number.isSafeInteger(totalPages) && totalPages >= 0).toBe(true);
      expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
    }),
  );
});

test('a page begins where the one before it ended', () => {
  const first = startsAfter(firstStarts, 1, 20);
  const second = startsAfter(first, 2, 7);
  expect([1, 2, 3].map((page) => startOf(second, page))).toEqual([0, 20, 27]);
});

test('a page that nobody has come to begins whole pages after the nearest known one', () => {
  expect(startOf(firstStarts, 4)).toBe(30);
  expect(startOf(startsAfter(firstStarts, 1, 25), 4)).toBe(45);
  expect(startOf(firstStarts, 1_000_000_000)).toBe(9_999_999_990);
});

test('an answer that says nothing new changes nothing', () => {
  const known = startsAfter(firstStarts, 1, 10);
  expect(startsAfter(known, 1, 10)).toBe(known);
});
