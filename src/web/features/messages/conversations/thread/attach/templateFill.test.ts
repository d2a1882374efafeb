import { expect, test } from 'vitest';
import { approvedTemplate } from '#tests/support/channels/samples.ts';
import { emptyFilling, faultsOf, shownTemplate, templateToSend } from './templateFill.ts';

const template = approvedTemplate('pesanan_siap', {
  header: 'Pesanan {{1}}',
  header_variable: '1',
  body: 'Halo {{2}}, totalnya {{1}}.',
  footer: 'Toko Ani',
  buttons: ['Balas', 'Lacak', 'Salin kode'],
  button_values: [
    { index: 1, title: 'Lacak', takes: 'url' },
    { index: 2, title: 'Salin kode', takes: 'code' },
  ],
  variables: ['2', '1'],
  created_at: new Date(0),
});
const filling = {
  variables: { 1: 'Rp 25.000', 2: 'Budi' },
  header: 'A-17',
  buttons: { 1: 'a17', 2: 'KUE10' },
};

test('reports missing and too long values', () => {
  expect(Object.keys(faultsOf(template, emptyFilling, false))).toEqual([
    'variable 1',
    'variable 2',
    'header',
    'button 1',
    'button 2',
  ]);
  expect(faultsOf(template, { ...filling, header: 'a'.repeat(61) }, false)).toEqual({
    header: 'Paling panjang 60 karakter.',
  });
  const withFile = { ...template, header_file: 'image', header_variable: null } as const;
  expect(Object.keys(faultsOf(withFile, filling, false))).toEqual(['file']);
  expect(faultsOf(withFile, filling, true)).toEqual({});
});

test('the preview shows filled-in values, and marks missing ones', () => {
  expect(shownTemplate(template, { ...filling, variables: { 2: 'Budi' } })).toEqual({
    header: 'Pesanan A-17',
    body: 'Halo Budi, totalnya {{1}}.',
    footer: 'Toko Ani',
    buttons: ['Balas', 'Lacak', 'Salin kode'],
  });
});

test('numbered variables are keyed by number, buttons by position', () => {
  expect(templateToSend(template, filling)).toMatchObject({
    name: 'pesanan_siap',
    language: 'id',
    variables: ['Rp 25.000', 'Budi'],
    header: 'A-17',
    buttons: ['', 'a17', 'KUE10'],
  });
});
