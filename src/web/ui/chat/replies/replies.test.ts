import { expect, test } from 'vitest';
import { typedName, fittingReplies, withReply } from './replies.ts';

const replies = [
  ['isi-saldo', 'Saldo masuk setelah transfer sampai.'],
  ['salam', 'Selamat datang, {nama}. Ada yang bisa kami bantu, {nama}?'],
  ['terputus', 'Pindai ulang QR di halaman Nomor.'],
].map(([name = '', text = '']) => ({ name, text, updated_at: new Date(0) }));
const names = (asked: string) => fittingReplies(replies, asked).map(({ name }) => name);

test('a slash at the beginning of a word opens the replies', () => {
  expect(['/', '/Sal', 'Baik. /sal', 'Baik\n/'].map(typedName)).toEqual(['', 'sal', 'sal', '']);
  expect(['', 'dan/atau', '/salam ', '1 / 2', 'https://'].map(typedName)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});

test('offers replies by the beginning of their names, then by their text', () => {
  expect(names('')).toEqual(['isi-saldo', 'salam', 'terputus']);
  expect(names('sal')).toEqual(['salam', 'isi-saldo']);
  expect(names('qr')).toEqual(['terputus']);
  expect(names('zzz')).toEqual([]);
});

test('replaces the slash command by the reply, with the customer’s name', () => {
  expect(withReply('/sal', replies[1]?.text ?? '', 'Toko $& Budi')).toBe(
    'Selamat datang, Toko $& Budi. Ada yang bisa kami bantu, Toko $& Budi?',
  );
  expect(withReply('/sal', replies[1]?.text ?? '', '')).toBe(
    'Selamat datang. Ada yang bisa kami bantu?',
  );
  expect(withReply('Baik.\n/is', 'Saldo masuk.', 'Ani')).toBe('Baik.\nSaldo masuk.');
});
