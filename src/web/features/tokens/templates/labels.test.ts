import { expect, test } from 'vitest';
import {
  buttonsOf,
  languageLabel,
  namedIn,
  nextVariable,
  previewOf,
} from '#web/features/tokens/templates/labels.ts';

test('a preview fills in variables with examples, and leaves the others as placeholders', () => {
  const body = 'Halo {{2}}, {{1}} siap. {{ 2 }}';
  expect(previewOf(body, {})).toBe('Halo {{2}}, {{1}} siap. {{2}}');
  expect(previewOf(body, { '2': 'Budi' })).toBe('Halo Budi, {{1}} siap. Budi');
  expect(previewOf('Kode {{kode}}', { kode: '$& 12' })).toBe('Kode $& 12');
});

test('the next variable is one more than the highest', () => {
  expect(nextVariable('Halo')).toBe('1');
  expect(nextVariable('Halo {{1}} {{7}} {{nama}}')).toBe('8');
});

test('buttons are lines, without empty ones', () => {
  expect(buttonsOf(' Ya \n\nTidak\n')).toEqual(['Ya', 'Tidak']);
});

test('an address names one template; languages have their names, unknown codes stay', () => {
  expect(namedIn('pesanan_siap:en_US')).toEqual({ name: 'pesanan_siap', language: 'en_US' });
  expect(namedIn('')).toEqual({ name: '', language: '' });
  expect(languageLabel('id')).toBe('Indonesia');
  expect(languageLabel('bukan bahasa')).toBe('bukan bahasa');
});
