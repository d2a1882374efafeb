import { expect, test } from 'vitest';
import type { StatementOutcome, StatementReport } from '#contract/operator/payments.ts';
import { hasNewEntries, countsOf, dayInWords, pageOf } from '#web/features/operator/bank/bank.ts';

const report = (...outcomes: StatementOutcome[]): StatementReport => {
  const counts = { pays: 0, joins: 0, second: 0, twin: 0, near: 0, kept: 0 };
  const all = { ...counts, known: 0, debit: 0, pending: 0, unreadable: 0 };
  for (const outcome of outcomes) all[outcome] += 1;
  return {
    sha256: 'a'.repeat(64),
    format: 'KlikBCA Individu',
    account: null,
    period: null,
    counts: all,
    pays: 0,
    lines: outcomes.map((outcome, number) => ({
      number,
      outcome,
      day: null,
      amount: null,
      description: '',
      topup: null,
      reason: null,
    })),
    left_out: 0,
  };
};

test('the summary begins with the number of paying entries, and omits outcomes that do not occur', () => {
  expect(countsOf(report('debit', 'kept', 'pays', 'kept'))).toEqual([
    ['pays', 1],
    ['kept', 2],
    ['debit', 1],
  ]);
});

test('a statement of known entries, debits and the like imports nothing', () => {
  expect(hasNewEntries(report('known', 'debit', 'pending', 'unreadable'))).toBe(false);
  expect(hasNewEntries(report('known', 'near'))).toBe(true);
  expect(hasNewEntries(report('known', 'twin'))).toBe(true);
});

test('the rows are shown ten at a time, all of them or of one outcome', () => {
  const many = report(...Array.from({ length: 23 }, () => 'kept' as const), 'pays');
  expect(pageOf(many, undefined, 2)).toMatchObject({ totalPages: 3 });
  expect(pageOf(many, undefined, 2).rows).toHaveLength(4);
  expect(pageOf(many, 'pays', 0).rows.map(({ number }) => number)).toEqual([23]);
  expect(pageOf(many, 'second', 0)).toEqual({ rows: [], totalPages: 0 });
});

test('a day of the bank is a day in WIB', () => {
  expect(dayInWords('2026-11-21')).toBe('21 Nov 2026');
});
