import { expect, test } from 'vitest';
import { titleWith } from './tabTitle.ts';

test('shows the number of unread messages before the page’s name', () => {
  expect(titleWith(3, 'Pesan · Kabari')).toBe('(3) Pesan · Kabari');
  expect(titleWith(4, '(3) Pesan · Kabari')).toBe('(4) Pesan · Kabari');
  expect(titleWith(0, '(3) Pesan · Kabari')).toBe('Pesan · Kabari');
  expect(titleWith(12_345, 'Pesan · Kabari')).toBe('(999+) Pesan · Kabari');
  expect(titleWith(1, '(999+) Pesan · Kabari')).toBe('(1) Pesan · Kabari');
});
