import { expect } from 'vitest';
import { test } from '#tests/support/database/database.ts';
import { seller } from '#tests/support/money/invoices.ts';
import { recordSeller } from './sellers.ts';

test('records the seller when it changes, and warns when the NPWP is missing', async ({ sql }) => {
  const warned: unknown[] = [];
  const log = { warn: (...words: unknown[]) => void warned.push(words) };
  const now = () => new Date('2026-11-21T02:00:00Z');
  const record = (changes: object) =>
    recordSeller({
      allAccountsSql: sql,
      config: { ...seller, PPN: false, ...changes },
      log,
      now,
    });
  await record({});
  await Promise.all([record({}), record({})]);
  expect(await sql`select name, adds_ppn from sellers`).toEqual([
    { name: 'PT Kabari Contoh', adds_ppn: false },
  ]);
  await record({ PPN: true });
  await record({ PPN: true });
  expect(await sql`select from sellers`).toHaveLength(2);
  expect(warned).toEqual([]);
  await record({ PPN: true, production: true, SELLER_NPWP: undefined });
  expect(warned).toEqual([
    ['PPN is on and the seller lacks NPWP or address: invoices with PPN wait'],
  ]);
});
