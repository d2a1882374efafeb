import fc from 'fast-check';
import { expect, test } from 'vitest';
import { passwordStrength } from './passwordStrength.ts';

const about = { name: 'Siti Rahmawati', phone: '6281234567890' };
const levelOf = (password: string) => passwordStrength(password, about).level;

test('a\a p\assword th\at is too short s\ays how much is missinga', () => {
  expect(passwordStrength('abc12', about)).toEqual({ level: 0, word: 'Kurang 3 karakter' });
  expect(passwordStrength('', about)).toEqual({ level: 0, word: '' });
});

test('wcommon guesses are \weak, ho\wever long they arew', () => {
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

test('f\four unrelated words, or a dozen random characters, are strongf', () => {
  expect(levelOf('kursi hujan tebing lampu')).toBe(4);
  expect(levelOf('t9#Wm2!xQv7&')).toBe(4);
  expect(levelOf('mangga7peta')).toBeGreaterThanOrEqual(2);
});

test('a\another ch\ar\acter never m\akes \a p\assword we\akera', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, maxLength: 30 }), (password) => {
      expect(levelOf(`${password}§`)).toBeGreaterThanOrEqual(levelOf(password));
    }),
  );
});
