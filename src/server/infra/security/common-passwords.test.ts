import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  BREACHED_FILE,
  BREACHED_PREFIX_BYTES,
  isBreached,
  isCommonPassword,
} from './common-passwords.ts';

const ani = { phone: '6281234567890', name: 'Toko Ani Makmur' };
const refused = (passwords: readonly string[]) =>
  passwords.filter((password) => isCommonPassword(password, ani));

test('refuses common choices', () => {
  const everybodys = [
    '123456',
    '123456789',
    '12345678',
    '1234567890',
    '987654321',
    '11111111',
    '00000000',
    '123123123',
    'password',
    'Password1',
    'p4ssw0rd',
    'P@ssw0rd123',
    'passw0rd!',
    'qwerty',
    'qwerty123',
    'qwertyuiop',
    '1q2w3e4r',
    '1qaz2wsx',
    'zaq12wsx',
    'qazwsxedc',
    'asdfghjkl',
    'abc12345',
    'abcd1234',
    'a1b2c3d4',
    'iloveyou',
    'iloveyou1',
    'letmein123',
    'admin123',
    'welcome1',
    'sunshine',
    'princess',
    'football1',
    'monkey123',
    'dragon12',
    'superman',
    'batman123',
    'trustno1',
    'master12',
    'baseball',
    'pokemon1',
    'sayang',
    'sayangku',
    'sayang123',
    'sayangsayang',
    'cintaku1',
    'bismillah',
    'bismillah1',
    'alhamdulillah',
    'indonesia',
    'Indonesia1',
    'indonesia45',
    'merdeka45',
    'jakarta1',
    'rahasia123',
    'katasandi',
    'doraemon',
    'persib1933',
    'budi1234',
    '17081945',
    '17-08-1945',
    '19450817',
  ];
  expect(refused(everybodys)).toEqual(everybodys);
});

test('refuses the names of product and person, and their number', () => {
  const own = [
    'kabari123',
    'Kabari2026',
    '081234567890',
    '6281234567890',
    '81234567890',
    '0812-3456-7890',
    'tokoanimakmur',
    'Makmur2026',
    'toko-ani-makmur!',
  ];
  expect(refused(own)).toEqual(own);
});

test('accepts uncommon passwords', () => {
  expect(
    refused([
      'kuda-besi-di-tepi-sawah',
      'Xk29fjw0qm',
      'benar kuda baterai staples',
      'Gudang-Timur-88',
      'rahasia-ani-123',
      '7hfd!92kLq',
      'nasiuduklauktempe',
      '84015937261948',
      'ñandú-über-søt',
    ]),
  ).toEqual([]);
});

test('checks a very long text quickly', () => {
  const from = process.cpuUsage();
  for (const piece of ['1', 'a', 'qwerty', '!', 'sayang1']) {
    isCommonPassword(piece.repeat(256), ani);
  }
  expect(process.cpuUsage(from).user).toBeLessThan(20_000_000);
});

test('refuses the commonest passwords of breaches, as written or in capitals', () => {
  const breached = [
    'football1 qwerty123 iloveyou2 Mercedes POKEMON1 redskins',
    'dodge440 ravens52 Kelly1974 zidane10 marlboro1',
  ].flatMap((line) => line.split(' '));
  expect(refused(breached)).toEqual(breached);
});

test('the file of breached passwords has 100,000 prefixes in order, each once', () => {
  const file = readFileSync(BREACHED_FILE);
  expect(file.length).toBe(100_000 * BREACHED_PREFIX_BYTES);
  const prefixes = Array.from({ length: 100_000 }, (_, n) =>
    file.toString('hex', n * BREACHED_PREFIX_BYTES, (n + 1) * BREACHED_PREFIX_BYTES),
  );
  expect(new Set(prefixes).size).toBe(100_000);
  expect(prefixes.toSorted()).toEqual(prefixes);
});

test('finds none of 20,000 other passwords in it, within microseconds each', () => {
  const others = Array.from({ length: 20_000 }, () => randomBytes(12).toString('base64url'));
  expect(others.filter(isBreached)).toEqual([]);
  const from = process.cpuUsage();
  for (const password of others) isBreached(password);
  expect(process.cpuUsage(from).user / others.length).toBeLessThan(1_000);
});
