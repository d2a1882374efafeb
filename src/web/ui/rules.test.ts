import { expect, test } from 'vitest';
import { shareOut } from '#web/ui/chart/bars.ts';
import { chatKind, startsRun } from '#web/ui/chat/chat.ts';
import { tradeWidth } from '#web/ui/table/columns.ts';
import { initials, pickFor } from '#web/ui/avatar/initials.ts';
import { clampPage, firstPage, pages } from '#web/ui/pagination/paging.ts';
import { ariaSort, nextSort } from '#web/ui/table/sort.ts';

test.each([
  ['Budi Santoso', 'BS'],
  ['budi', 'B'],
  ['  Klinik   Sehat Bersama ', 'KS'],
  ['PT. Angin-Ribut 88', 'PA'],
  ['4 Sekawan', 'S'],
  ["D'Cost Seafood", 'DS'],
  ['Éric Übel', 'ÉÜ'],
  ['e\u0301ric', 'É'],
  ['李 小龍', '李小'],
  ['🙂', ''],
  ['', ''],
])('the initials of "%s" are "%s"', (name, letters) => {
  expect(initials(name)).toBe(letters);
});

test('the same name always gets the same colour, within the palette', () => {
  const names = ['Budi', 'Siti', 'Ahmad', '', '李'];
  expect(names.map((name) => pickFor(name, 6))).toEqual(names.map((name) => pickFor(name, 6)));
  expect(names.every((name) => pickFor(name, 6) < 6)).toBe(true);
});

test('shows page numbers within five of the current one, two in narrow containers', () => {
  expect(pages(7, 24)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(pages(7, 24, 2)).toEqual([5, 6, 7, 8, 9]);
  expect(pages(1, 3)).toEqual([1, 2, 3]);
  expect(pages(24, 24, 2)).toEqual([22, 23, 24]);
  expect(pages(1, 0)).toEqual([]);
});

test('replaces a page that no longer exists by the last one', () => {
  expect(clampPage(9, 4)).toBe(4);
  expect(clampPage(0, 4)).toBe(1);
  expect(clampPage(3, 0)).toBe(1);
});

test('counts the first page as 0 for the default paging and 1 for the others', () => {
  expect([firstPage('default'), firstPage('arrow'), firstPage('manual')]).toEqual([0, 1, 1]);
});

test('sorts ascending first, then toggles, and never stops sorting', () => {
  const first = nextSort(null, 'price');
  expect(first).toEqual({ sort_by: 'price', sort_type: 'asc' });
  const second = nextSort(first, 'price');
  expect(second).toEqual({ sort_by: 'price', sort_type: 'desc' });
  expect(nextSort(second, 'price')).toEqual(first);
  expect(nextSort(second, 'at')).toEqual({ sort_by: 'at', sort_type: 'asc' });
});

test('announces the sorted column and its direction to screen readers', () => {
  const sort = { sort_by: 'at', sort_type: 'desc' } as const;
  expect([ariaSort(sort, 'at'), ariaSort(sort, 'price'), ariaSort(null, 'at')]).toEqual([
    'descending',
    'none',
    'none',
  ]);
});

test('gives one column the width that the next one loses, and none less than 20 px', () => {
  expect(tradeWidth([150, 150, 150], 0, 30)).toEqual([180, 120, 150]);
  expect(tradeWidth([150, 150, 150], 0, 500)).toEqual([280, 20, 150]);
  expect(tradeWidth([150, 150, 150], 1, -500)).toEqual([150, 20, 280]);
  expect(tradeWidth([150, 150], 1, 10)).toEqual([150, 150]);
});

test('a stacked bar shows even a single failure, and never leaves the chart', () => {
  const parts = shareOut([9_999, 1, 0], 10_000, 160);
  expect(parts.map((part) => part.height > 0)).toEqual([true, true, false]);
  expect(Math.min(...parts.map((part) => part.y))).toBeGreaterThanOrEqual(0);
});

test.each([
  ['jpeg', 'image'],
  ['jpg', 'image'],
  ['png', 'image'],
  ['webp', 'image'],
  ['ogg', 'audio'],
  ['mp4', 'video'],
  ['vcard', 'contact'],
  ['text', 'text'],
  ['pdf', 'file'],
  ['constructor', 'file'],
])('a chat message of type %s is shown as %s', (type, kind) => {
  expect(chatKind(type)).toBe(kind);
});

test('a run of bubbles ends at another sender or after five minutes', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 9, minute));
  const before = { side: 'in', at: at(0) } as const;
  expect(startsRun({ side: 'in', at: at(5) }, before)).toBe(false);
  expect(startsRun({ side: 'in', at: at(6) }, before)).toBe(true);
  expect(startsRun({ side: 'out', at: at(1) }, before)).toBe(true);
  expect(startsRun({ side: 'in', at: at(1) }, undefined)).toBe(true);
});
