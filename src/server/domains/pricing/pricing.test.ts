import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { test } from '#tests/support/database/database.ts';
import { openPrices, taxOf } from './pricing.ts';

const ppn = { num: 12n, den: 100n, dppNum: 11n, dppDen: 12n };
const now = () => new Date('2026-11-21T02:00:00Z');

describe('prices', () => {
  test('a message costs Rp 150 from the start', async ({ sql }) => {
    const prices = await openPrices({ allAccountsSql: sql, config: { PPN: false }, now });
    expect(prices.message()).toBe(150);
    prices.close();
  });

  test('applies a new price from its day on, and not before', async ({ sql, db }) => {
    await db.owner`insert into prices values ('message', 175, '2026-12-01T00:00:00+07:00')`;
    const prices = await openPrices({ allAccountsSql: sql, config: { PPN: false }, now });
    expect(prices.priceOf('message', new Date('2026-11-30T16:59:59Z'))).toBe(150);
    expect(prices.priceOf('message', new Date('2026-11-30T17:00:00Z'))).toBe(175);
    prices.close();
  });

  test('applies a price changed in the database after the next read', async ({ sql, db }) => {
    const prices = await openPrices({ allAccountsSql: sql, config: { PPN: false }, now });
    await db.owner`insert into prices values ('message', 90, '2026-01-01T00:00:00+07:00')`;
    await prices.refresh();
    expect(prices.message()).toBe(90);
    prices.close();
  });

  test('throws for a category without a price instead of a free message', async ({ sql }) => {
    const prices = await openPrices({ allAccountsSql: sql, config: { PPN: false }, now });
    expect(() => prices.priceOf('message', new Date('1999-01-01'))).toThrow('no price');
    prices.close();
  });
});

describe('PPN', () => {
  test('is nothing if the installation adds none', async ({ sql }) => {
    const prices = await openPrices({ allAccountsSql: sql, config: { PPN: false }, now });
    expect(prices.ppnOf(rupiah(250_000), now())).toBe(0);
    prices.close();
  });

  test('of Rp 250.000 is Rp 27.500', async ({ sql }) => {
    const prices = await openPrices({ allAccountsSql: sql, config: { PPN: true }, now });
    expect(prices.ppnOf(rupiah(250_000), now())).toBe(27_500);
    expect(prices.ppnOf(rupiah(250_000), new Date('2024-12-31T00:00:00Z'))).toBe(0);
    prices.close();
  });

  test('is 12 % of 11/12 rounded half up once, not twice', () => {
    // 12 % of the rounded 11/12 would be 9.
    expect(taxOf(rupiah(77), ppn)).toBe(8);
    expect(taxOf(rupiah(50), ppn)).toBe(6);
  });

  test('is within half a rupiah of 11 % for every amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_000_000_000_000_000 }), (base) => {
        const tax = BigInt(taxOf(rupiah(base), ppn));
        const off = tax * 100n - BigInt(base) * 11n;
        expect(off > -50n && off <= 50n).toBe(true);
      }),
    );
  });
});
