import fc from 'fast-check';
import { expect, test } from 'vitest';
import { passwordStrength } from './passwordStrength.ts';

const about = { name: 'Siti Rahmawati', phone: '6281234567890' };
const levelOf = (password: string) => passwordStrength(password, about).level;

test('a password that is too short says how much is missing', () => {
  expect(passwordStrength('abc12', about)).toEqual({ level: 0, word: 'Kurang 3 karakter' });
  expect(passwordStrength('', about)).toEqual({ level: 0, word: '' });
});

test('common guesses are weak, however long they are', () => {
  for (const guess of [
    'password123',
    '12345678',
    'aaaaaaaaaaaa',
    'rahmawati2024',
    '081234567890',
    'qwerty12',
  ]) {
    expect(levelOf(guess), guess).toBe(1);
  }
});

test('four unrelated words, or a dozen random characters, are strong', () => {
  expect(levelOf('kursi hujan tebing lampu')).toBe(4);
  expect(levelOf('t9#Wm2!xQv7&')).toBe(4);
  expect(levelOf('mangga7peta')).toBeGreaterThanOrEqual(2);
});

test('another character never makes a password weaker', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, maxLength: 30 }), (password) => {
      expect(levelOf(`${password}§`)).toBeGreaterThanOrEqual(levelOf(password));
    }),
  );
});
