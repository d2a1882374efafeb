import { expect, test } from 'vitest';
import { isEmoji } from '#contract/messages/sending.ts';
import printed from './emoji.json' with { type: 'json' };
import { findEmoji, groupsOf, stepInGrid, toned, tones, withRecent } from './emoji.ts';

const groups = groupsOf(printed);
const all = groups.flatMap((group) => group.all);
const found = (typed: string) => findEmoji(groups, typed).map(({ emoji }) => emoji);

test('every entry is a single emoji, in every tone, with a unique name', () => {
  expect(all.length).toBeGreaterThan(1_500);
  const shown = all.flatMap((one) => [one.emoji, ...tones.map((tone) => toned(one, tone))]);
  expect(shown.filter((one) => !isEmoji(one))).toEqual([]);
  expect(all.filter(({ name }) => name === '')).toEqual([]);
  expect(groups.map(({ title }) => title)).not.toContain('');
});

test('finds emoji by Indonesian words, name matches first', () => {
  expect(found('jempol')).toContain('👍');
  expect(found('bendera indonesia')).toEqual(['🇮🇩']);
  expect(found('tangan melambai')[0]).toBe('👋');
  expect(found('ular tangga xyz')).toEqual([]);
});

test('applies a tone to people only', () => {
  const [dark] = tones.slice(-1);
  expect(toned({ emoji: '🖐️', hasTones: true }, dark ?? '')).toBe('🖐🏿');
  expect(toned({ emoji: '👍', hasTones: true }, '')).toBe('👍');
  expect(toned({ emoji: '🍜', hasTones: false }, dark ?? '')).toBe('🍜');
});

test('puts recent emoji first, once', () => {
  expect(withRecent(['😀', '👍'], '👍')).toEqual(['👍', '😀']);
  expect(
    withRecent(
      Array.from({ length: 24 }, (_, n) => `${n}`),
      'neu',
    ),
  ).toHaveLength(24);
});

test('moves in a grid by arrows, and out of it', () => {
  const grid = { count: 10, columns: 4 };
  const keys = ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp', 'Home', 'End', 'a'];
  expect(keys.map((key) => stepInGrid(key, 5, grid))).toEqual([6, 4, 9, 1, 0, 9, undefined]);
  expect(stepInGrid('ArrowUp', 2, grid)).toBeUndefined();
  expect(stepInGrid('ArrowRight', 9, grid)).toBeUndefined();
  expect(stepInGrid('ArrowDown', 9, grid)).toBe(9);
});
