import { expect, test } from 'vitest';
import { rulesIn } from './rules-page.ts';

const source = `import { z } from 'zod/mini';

/** Is no function. */
export const MOST = 15;

/** Whole rupiah, as people write it. Never a fraction. */
export const formatRupiah = (amount: number): string => asRupiah.format(amount);

/**
 * Digits with 62 in front, for numbers that begin with 0 or 8; the cap is 15
 * digits.
 *
 * @param phone as typed
 */
export function to62(phone: string, { long = false }: { long?: boolean } = {}): string {
  return phone;
}

/** Parts of a bar. */
export function shareOut(
  values: readonly number[],
  most: number,
): { y: number; height: number }[] {
  return values.map(() => ({ y: 0, height: most }));
}

/** The first that fits. */
export const first = <T>(all: readonly T[], fits: (one: T) => boolean): T | undefined => all.find(fits);

function own() {}
`;

test('a rule is printed with its signature on one line and the first sentence above it', () => {
  expect(rulesIn(source, 'a.ts')).toEqual([
    {
      name: 'formatRupiah',
      signature: 'formatRupiah(amount: number): string',
      about: 'Whole rupiah, as people write it.',
    },
    {
      name: 'to62',
      signature: 'to62(phone: string, { long = false }: { long?: boolean } = {}): string',
      about: 'Digits with 62 in front, for numbers that begin with 0 or 8; the cap is 15 digits.',
    },
    {
      name: 'shareOut',
      signature:
        'shareOut(values: readonly number[], most: number): { y: number; height: number }[]',
      about: 'Parts of a bar.',
    },
    {
      name: 'first',
      signature: 'first<T>(all: readonly T[], fits: (one: T) => boolean): T | undefined',
      about: 'The first that fits.',
    },
  ]);
});

test('a rule without a sentence stops the printing, by name', () => {
  expect(() => rulesIn('export function mute() {\n}\n', 'b.ts')).toThrow(
    'b.ts: mute needs a docstring.',
  );
});
