import { expect, test } from 'vitest';
import { admission, isIgnored } from './uploadsAdmission.ts';

const some = { present: 0, adding: 1, multiple: true, maxFiles: undefined, allowReplace: true };

test('rejects several files on a single-file field; one replaces the present one', () => {
  expect(admission({ ...some, multiple: false, adding: 2 })).toBe('too-many');
  expect(admission({ ...some, multiple: false })).toBe('add');
  expect(admission({ ...some, multiple: false, present: 1 })).toBe('replace');
  expect(admission({ ...some, multiple: false, present: 1, allowReplace: false })).toBe('too-many');
});

test('rejects all files added together if they exceed the limit', () => {
  expect(admission({ ...some, maxFiles: 3, present: 1, adding: 2 })).toBe('add');
  expect(admission({ ...some, maxFiles: 3, present: 2, adding: 2 })).toBe('too-many');
  expect(admission({ ...some, adding: 1_000_000 })).toBe('add');
  expect(admission({ ...some, adding: 1_000_000, present: 1 })).toBe('too-many');
});

test('ignores system files in folders', () => {
  expect(['.DS_Store', 'Thumbs.db', 'DESKTOP.INI'].every((name) => isIgnored(name))).toBe(true);
  expect(isIgnored('laporan.pdf')).toBe(false);
});
