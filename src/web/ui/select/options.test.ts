import { expect, test } from 'vitest';
import { matchingOptions, optionNamed, stepOption } from '#web/ui/select/options.ts';

const cities = ['Bandung', 'Banda Aceh', 'Jakarta Barat', 'Jakarta Timur', 'Tanjung Selor'].map(
  (label) => ({ value: label.toLowerCase(), label, disabled: label === 'Jakarta Barat' }),
);
const labels = (typed: string) => matchingOptions(cities, typed).map(({ label }) => label);

test('finds labels with all typed words, those that begin with them first', () => {
  expect(labels('ba')).toEqual(['Bandung', 'Banda Aceh', 'Jakarta Barat']);
  expect(labels('BAR jak')).toEqual(['Jakarta Barat']);
  expect(labels('aceh')).toEqual(['Banda Aceh']);
  expect(labels('  ')).toHaveLength(5);
  expect(labels('xyz')).toEqual([]);
  expect(matchingOptions([{ value: '1', label: 'Kafé Senja' }], 'kafe')).toHaveLength(1);
});

test('a complete label selects its option, unless it is disabled or ambiguous', () => {
  expect(optionNamed(cities, ' banda aceh')?.value).toBe('banda aceh');
  expect(optionNamed(cities, 'jakarta barat')).toBeUndefined();
  expect(optionNamed([...cities, ...cities], 'bandung')).toBeUndefined();
});

test('the arrows wrap and skip disabled options; longer steps stop at the ends', () => {
  expect(stepOption(cities, undefined, 1)).toBe('bandung');
  expect(stepOption(cities, undefined, -1)).toBe('tanjung selor');
  expect(stepOption(cities, 'banda aceh', 1)).toBe('jakarta timur');
  expect(stepOption(cities, 'bandung', -1)).toBe('tanjung selor');
  expect(stepOption(cities, 'bandung', 10)).toBe('tanjung selor');
  expect(stepOption([], undefined, 1)).toBeUndefined();
});
