import { expect, test } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { pricesOf } from './channelWords.ts';
import { uptimeWords } from './health.ts';

test('uptime has two decimals, and a number that was never connected has none', () => {
  expect(uptimeWords(9_987)).toBe('99,87%');
  expect(uptimeWords(10_000)).toBe('100,00%');
  expect(uptimeWords(0)).toBe('0,00%');
  expect(uptimeWords(null)).toBe('Belum ada');
});

test('by the Cloud API each kind of message has its price', () => {
  const prices = [
    { category: 'marketing' as const, price: rupiah(650) },
    { category: 'utility' as const, price: rupiah(400) },
  ];
  expect(pricesOf({ channel: 'cloud', prices })).toHaveLength(2);
  expect(pricesOf({ channel: 'cloud', prices })[0]).toMatch(/^Pemasaran Rp.650$/);
});
