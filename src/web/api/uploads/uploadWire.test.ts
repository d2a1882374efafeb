import { expect, test } from 'vitest';
import { nameIn } from './uploadWire.ts';

test('reads the file name of an answer in all its characters', () => {
  const both = `attachment; filename="laporan _.pdf"; filename*=UTF-8''laporan%20%E2%9C%93.pdf`;
  expect(nameIn(both)).toBe('laporan ✓.pdf');
  expect(nameIn('inline; filename="foto \\"ani\\".png"')).toBe('foto "ani".png');
  expect(nameIn(`attachment; filename="a.txt"; filename*=UTF-8''%E0%A4%A`)).toBe('a.txt');
  expect(nameIn('inline')).toBeUndefined();
  expect(nameIn(null)).toBeUndefined();
});
