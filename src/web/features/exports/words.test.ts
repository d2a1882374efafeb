import { expect, test } from 'vitest';
import { exportTitle, filterWords } from './words.ts';

const token = `tok_${'0'.repeat(26)}`;
const nameOfToken = (id: string) => (id === token ? 'Kasir' : undefined);

test('filters have the same names as in the table, and none is missing', () => {
  expect(filterWords({}, nameOfToken)).toBe('');
  expect(
    filterWords(
      {
        from: '2026-11-01',
        to: '2026-11-07',
        status: ['waiting', 'read'],
        direction: 'out',
        type: 'image',
        q: 'Budi',
        token_id: token,
      },
      nameOfToken,
    ),
  ).toBe(
    'cocok dengan “Budi”, Antre atau Dibaca, Keluar, Gambar, token Kasir, 1 Nov 2026 sampai 7 Nov 2026',
  );
  expect(filterWords({ from: '2026-11-01', to: '2026-11-01' }, nameOfToken)).toBe('1 Nov 2026');
  expect(filterWords({ token_id: `tok_${'1'.repeat(26)}` }, nameOfToken)).toBe(
    'token yang sudah dihapus',
  );
});

test('a file’s title names its content', () => {
  expect(exportTitle({ kind: 'messages' }, nameOfToken)).toBe('Semua pesan');
  expect(exportTitle({ kind: 'messages', status: ['failed'] }, nameOfToken)).toBe('Pesan: Gagal');
  expect(exportTitle({ kind: 'messages', chosen: 3 }, nameOfToken)).toBe('3 pesan pilihan');
});
