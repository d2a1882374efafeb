import { expect, test } from 'vitest';
import { apiRefusals } from '#contract/rest.ts';
import { fixOf, hasWords, reasonOf } from './labels.ts';

test('every refusal of the API has a sentence and a remedy', () => {
  expect(apiRefusals.filter((code) => !hasWords(code))).toEqual([]);
  for (const code of apiRefusals) {
    expect(reasonOf({ code, facts: {} }), code).toMatch(/^[A-Z].{5,}[^.]$/);
    expect(reasonOf({ code, facts: {} }), code).not.toContain('undefined');
    expect(fixOf(code), code).toMatch(/^[A-Z].{10,}\.$/);
  }
});

test('recorded facts are shown; an unknown code gets a fallback', () => {
  expect(reasonOf({ code: 'input_invalid', facts: { fields: ['to', 'text.body'] } })).toBe(
    'Isian salah: to, text.body',
  );
  expect(reasonOf({ code: 'token_expired', facts: { day: '2026-11-30' } })).toBe(
    'Masa berlaku token habis pada 30 Nov 2026',
  );
  expect(reasonOf({ code: 'of_tomorrow', facts: {} })).toBe('Permintaan ditolak');
  expect(reasonOf({ code: 'constructor', facts: {} })).toBe('Permintaan ditolak');
  expect(fixOf('of_tomorrow')).toContain('dokumentasi');
});
