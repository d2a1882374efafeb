import { expect, test } from 'vitest';
import { mimesFor } from '#contract/uploads.ts';
import { acceptsType, expectsText, typeOfFile, typeNames } from './fileTypes.ts';

test('accepts a listed type or one of a listed family; an empty list accepts all', () => {
  expect(acceptsType('image/png', ['image/jpeg', 'image/png'])).toBe(true);
  expect(acceptsType('image/png', ['image/*'])).toBe(true);
  expect(acceptsType('anything/at-all', [])).toBe(true);
  expect(acceptsType('image/png', ['image/jpeg', 'video/*'])).toBe(false);
  expect(acceptsType('imagery/png', ['image/*'])).toBe(false);
  expect(acceptsType('image/png; charset=utf-8', ['image/png'])).toBe(false);
  expect(acceptsType('text/csv', ['.csv'])).toBe(false);
  expect(acceptsType('text/csv', ['*/*'])).toBe(false);
});

test('lists one, two or many expected types', () => {
  expect(expectsText(['image/png'])).toBe('Expects image/png');
  expect(expectsText(['image/png', 'image/webp'])).toBe('Expects image/png or image/webp');
  expect(expectsText(['image/jpeg', 'image/png', 'image/webp'])).toBe(
    'Expects image/jpeg, image/png or image/webp',
  );
});

test('names a type by its file extension', () => {
  const wording = 'Pilih {allButLastType} atau {lastType}';
  expect(expectsText(mimesFor('proof'), wording, typeNames)).toBe('Pilih JPG, PNG, WEBP atau PDF');
  expect(expectsText(mimesFor('statement'), wording, typeNames)).toBe('Pilih CSV atau TXT');
});

test('uses display names for types: null hides one, duplicates appear once', () => {
  const shown = {
    'image/jpeg': 'foto',
    'image/png': 'foto',
    'image/webp': null,
    'text/csv': 'CSV',
  };
  const types = ['image/jpeg', 'image/png', 'image/webp', 'text/csv'];
  expect(expectsText(types, 'Pilih {allButLastType} atau {lastType}', shown)).toBe(
    'Pilih foto atau CSV',
  );
  expect(expectsText(['image/png'], 'Pilih {allButLastType} atau {lastType}', shown)).toBe(
    'Pilih foto',
  );
  expect(expectsText(['a/$&'], undefined, { 'a/$&': '$& {lastType}' })).toBe(
    'Expects $& {lastType}',
  );
});

test('derives the type from the name when the browser reports none or an alias', () => {
  expect(typeOfFile({ name: 'daftar.csv', type: '' })).toBe('text/csv');
  expect(typeOfFile({ name: 'daftar.csv', type: 'application/vnd.ms-excel' })).toBe('text/csv');
  expect(typeOfFile({ name: 'suara.ogg', type: 'application/octet-stream' })).toBe('audio/ogg');
  expect(typeOfFile({ name: 'foto.JPG', type: 'image/jpg' })).toBe('image/jpeg');
  expect(typeOfFile({ name: 'catatan.txt', type: 'text/plain; charset=utf-8' })).toBe('text/plain');
  // A contradiction is left for the server to report.
  expect(typeOfFile({ name: 'foto.png', type: 'application/pdf' })).toBe('application/pdf');
  expect(typeOfFile({ name: 'tanpa-akhiran', type: '' })).toBe('application/octet-stream');
});
