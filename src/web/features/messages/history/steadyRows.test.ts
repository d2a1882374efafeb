import { expect, test } from 'vitest';
import { steadyRows } from '#web/features/messages/history/useSteadyRows.ts';

const row = (id: string, status = 'queued') => ({ id, status });

test('rows being read keep their places, each with its current status', () => {
  const read = [row('c'), row('b'), row('a')];
  const fresh = [row('e'), row('d'), row('c', 'sent')];
  const newer = new Map([['a', row('a', 'failed')]]);
  expect(steadyRows(read, fresh, newer)).toEqual({
    rows: [row('c', 'sent'), row('b'), row('a', 'failed')],
    news: 2,
  });
});

test('a row that left the filtered page keeps its place', () => {
  expect(steadyRows([row('b'), row('a')], [row('a')], new Map())).toEqual({
    rows: [row('b'), row('a')],
    news: 0,
  });
});

test('an unchanged row keeps its identity, and is not rendered again', () => {
  const read = [row('a')];
  expect(steadyRows(read, [], new Map()).rows[0]).toBe(read[0]);
});
