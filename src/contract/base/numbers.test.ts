import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { acts } from '#contract/acts.ts';
import { WholeNumber } from './numbers.ts';
import { ApiMessageQuery } from '#contract/rest/messages.ts';

const Amount = WholeNumber({
  missing: 'Tulis nominalnya.',
  sentence: 'Angka saja.',
  minimum: 1,
  maximum: 9_000_000_000_000_000,
});

const said = (given: unknown): string =>
  z.safeParse(Amount, given).error?.issues[0]?.message ?? 'nothing was refused';

test('reads decimal digits and numbers', () => {
  expect(Amount.parse('20000')).toBe(20_000);
  expect(Amount.parse('0020000')).toBe(20_000);
  expect(Amount.parse('9000000000000000')).toBe(9_000_000_000_000_000);
  expect(Amount.parse(20_000)).toBe(20_000);
});

test('rejects signs, exponents, other bases, blanks, line ends and foreign digits', () => {
  const texts =
    '0x2710 0b11 0o17 1e5 1E5 +20000 -20000 20.000 20,000 20000.0 20_000 20k NaN Infinity 20000n true [] {} ２００００ ٢٠٠٠٠';
  const blanks = ['20000\n', '\n20000', ' 20000', '20000 ', '\t20000', '1 2', '20000\u0000'];
  const values = [1.5, Number.NaN, Infinity, 1e300, true, [20_000], { amount: 1 }, null, 20_000n];
  const others = [...texts.split(' '), ...blanks, '9'.repeat(17), ...values];
  for (const other of others) expect([other, said(other)]).toEqual([other, 'Angka saja.']);
});

test('requires a value and checks the bounds', () => {
  expect(said(undefined)).toBe('Tulis nominalnya.');
  expect(said('')).toBe('Tulis nominalnya.');
  expect(z.safeParse(Amount, '0').success).toBe(false);
  expect(z.safeParse(Amount, '9000000000000001').success).toBe(false);
});

test('reads numbers the same way in every field of acts and API addresses', () => {
  const shapes = [
    ...acts.map(({ name, input }) => [name, input] as const),
    ['GET /v1/messages', ApiMessageQuery()] as const,
  ];
  const numbers: string[] = [];
  for (const [name, schema] of shapes) {
    const { shape } = schema as unknown as { shape: Record<string, z.ZodMiniType> };
    for (const [field, own] of Object.entries(shape)) {
      const digits = ['20000', '7'].find((text) => typeof own.safeParse(text).data === 'number');
      if (digits === undefined) continue;
      numbers.push(`${name}.${field}`);
      const bent = [`+${digits}`, `${digits}\n`, ` ${digits}`, `${digits}e0`, `0x${digits}`, ''];
      const taken = bent.filter((text) => own.safeParse(text).success);
      expect([name, field, taken]).toEqual([name, field, []]);
    }
  }
  expect(numbers).toEqual(
    expect.arrayContaining([
      'topup_create.amount',
      'simulator_transfer.amount',
      'token_update.daily_limit',
      'message_list.page',
      'events.since',
      'GET /v1/messages.limit',
    ]),
  );
});
