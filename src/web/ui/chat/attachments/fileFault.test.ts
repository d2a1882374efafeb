import { expect, test } from 'vitest';
import { fileFault } from './fileFault.ts';

const MB = 1_000_000;
const file = (name: string, type: string, size: number) => ({ name, type, size });

test('reports files that cannot be sent before sending', () => {
  expect(fileFault(file('kue.png', 'image/png', 2 * MB), 0)).toBeUndefined();
  expect(fileFault(file('pesan-suara.m4a', 'audio/mp4', MB), 0)).toBeUndefined();
  expect(fileFault(file('kue.exe', 'application/x-msdownload', 10), 0)).toMatch(/Pilih JPG, PNG/);
  expect(fileFault(file('kue.png', 'image/png', 0), 0)).toBe('kue.png kosong.');
  expect(fileFault(file('lagu.mp3', 'audio/mpeg', MB), 0)).toMatch(/tidak dapat dikirim/);
  expect(fileFault(file('lagu.mp3', 'audio/mpeg', MB), 0, 'media')).toBeUndefined();
  expect(fileFault(file('kue.png', 'image/png', 6 * MB), 0)).toMatch(/Paling besar 5 MB/);
  expect(fileFault(file('kue.png', 'image/png', 2 * MB), 199 * MB)).toMatch(/menunggu/);
});
