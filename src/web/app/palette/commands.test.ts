import { House } from 'lucide-react';
import { expect, test } from 'vitest';
import {
  arrange,
  findId,
  fitting,
  isNumber,
  withRecent,
  type Command,
} from '#web/app/palette/commands.ts';

const command = (id: string, label: string, more: Partial<Command> = {}): Command => ({
  id,
  label,
  group: 'Halaman',
  Icon: House,
  run: () => undefined,
  ...more,
});

const all = [
  command('home', 'Beranda'),
  command('messages', 'Pesan', { words: 'riwayat percakapan' }),
  command('topup', 'Isi saldo', { group: 'Tindakan', words: 'top up bayar' }),
  command('saldo', 'Saldo', { words: 'mutasi' }),
  command('send', 'Kirim pesan', { group: 'Tindakan' }),
];
const find = (text: string) => command(findId(text), `Cari pesan ${text}`, { group: 'Pesan' });
const ids = (commands: readonly Command[]) => commands.map(({ id }) => id);

test('ranks names that begin with the words first, then names that contain them, then synonyms', () => {
  expect(ids(fitting(all, 'sal'))).toEqual(['saldo', 'topup']);
  expect(ids(fitting(all, 'PESAN'))).toEqual(['messages', 'send']);
  expect(ids(fitting(all, 'pesan kir'))).toEqual(['send']);
  expect(ids(fitting(all, 'bayar'))).toEqual(['topup']);
  expect(ids(fitting(all, 'riwayat'))).toEqual(['messages']);
  expect(ids(fitting(all, 'ayar'))).toEqual([]);
  expect(ids(fitting(all, '  '))).toEqual(ids(all));
});

test('puts the search for a number first, and for a name last', () => {
  const [number] = arrange(all, '0812 3456', [], find);
  expect(ids(number?.commands ?? [])).toEqual(['find 0812 3456']);
  const [name] = arrange(all, 'sal', [], find);
  expect(ids(name?.commands ?? [])).toEqual(['saldo', 'topup', 'find sal']);
  expect(arrange(all, 'x', [], find)).toEqual([]);
  expect(arrange(all, 'budi', [], undefined)).toEqual([]);
});

test('puts recent commands first, without duplicates', () => {
  const groups = arrange(all, '', ['topup', 'gone', 'find 0812'], find);
  expect(groups.map(({ title }) => title)).toEqual(['Terakhir dipakai', 'Halaman', 'Tindakan']);
  expect(groups.map(({ commands }) => ids(commands))).toEqual([
    ['topup', 'find 0812'],
    ['home', 'messages', 'saldo'],
    ['send'],
  ]);
  expect(withRecent(['a', 'b', 'c', 'd', 'e'], 'c')).toEqual(['c', 'a', 'b', 'd', 'e']);
  expect(withRecent(['a', 'b', 'c', 'd', 'e'], 'f')).toEqual(['f', 'a', 'b', 'c', 'd']);
});

test('recognizes the beginning of a phone number in any notation', () => {
  for (const typed of ['0812', '+62 812-3456', '(021) 555', ' 628 ']) {
    expect(isNumber(typed), typed).toBe(true);
  }
  for (const typed of ['08', 'budi 081', '', '+', 'INV-1182']) {
    expect(isNumber(typed), typed).toBe(false);
  }
});
