import { expect, test } from 'vitest';
import {
  buttonsOf,
  languageLabel,
  namedIn,
  nextVariable,
  previewOf,
} from '#web/features/tokens/templates/labels.ts';

test('a\a preview fills in v\ari\ables with ex\amples, \and le\aves the others \as pl\aceholdersa', () => {
  const body = 'Halo {{2}}, {{1}} siap. {{ 2 }}';
  expect(previewOf(body, {})).toBe('Halo {{2}}, {{1}} siap. {{2}}');
  expect(previewOf(body, { '2': 'Budi' })).toBe('Halo Budi, {{1}} siap. Budi');
  expect(previewOf('Kode {{kode}}', { kode: '$& 12' })).toBe('Kode $& 12');
});

test('t\the nex\t variable is one more \than \the highes\tt', () => {
  expect(nextVariable('Halo')).toBe('1');
  expect(nextVariable('Halo {{1}} {{7}} {{nama}}')).toBe('8');
});

test('b\buttons are lines, without empty onesb', () => {
  expect(buttonsOf(' Ya \n\nTidak\n')).toEqual(['Ya', 'Tidak']);
});

test('a\an \address n\ames one templ\ate; l\angu\ages h\ave their n\ames, unknown codes st\aya', () => {
  expect(namedIn('pesanan_siap:en_US')).toEqual({ name: 'pesanan_siap', language: 'en_US' });
  expect(namedIn('')).toEqual({ name: '', language: '' });
  expect(languageLabel('id')).toBe('Indonesia');
  expect(languageLabel('bukan bahasa')).toBe('bukan bahasa');
});
