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

test('what begins with the words comes first, then what holds them, then what is also called so', () => {
  expect(ids(fitting(all, 'sal'))).toEqual(['saldo', 'topup']);
  expect(ids(fitting(all, 'PESAN'))).toEqual(['messages', 'send']);
  expect(ids(fitting(all, 'pesan kir'))).toEqual(['send']);
  expect(ids(fitting(all, 'bayar'))).toEqual(['topup']);
  expect(ids(fitting(all, 'riwayat'))).toEqual(['messages']);
  expect(ids(fitting(all, 'ayar'))).toEqual([]);
  expect(ids(fitting(all, '  '))).toEqual(ids(all));
});

test('a number is looked for first, a name after everything that fits', () => {
  const [number] = arrange(all, '0812 3456', [], find);
  expect(ids(number?.commands ?? [])).toEqual(['find 0812 3456']);
  const [name] = arrange(all, 'sal', [], find);
  expect(ids(name?.commands ?? [])).toEqual(['saldo', 'topup', 'find sal']);
  expect(arrange(all, 'x', [], find)).toEqual([]);
  expect(arrange(all, 'budi', [], undefined)).toEqual([]);
});

test('what was used last stands first, and once', () => {
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

test('a phone number is known by its beginning, however it is written', () => {
  for (const typed of ['0812', '+62 812-3456', '(021) 555', ' 628 ']) {
    expect(isNumber(typed), typed).toBe(true);
  }
  for (const typed of ['08', 'budi 081', '', '+', 'INV-1182']) {
    expect(isNumber(typed), typed).toBe(false);
  }
});
