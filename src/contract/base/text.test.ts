import { expect, test } from 'vitest';
import { isStorable, storable, storableJson, unstorableIn } from './text.ts';

test('accepts texts that have neither U+0000 nor a lone surrogate', () => {
  for (const text of ['', 'Halo 👋', '\u{10FFFF}', '\uFFFF', '\u0001', '\u202E', 'e\u0301']) {
    expect(isStorable(text)).toBe(true);
    expect(storable(text)).toBe(text);
  }
  for (const text of ['\0', 'a\0b', '\uD800', 'a\uDC00', '\uDC00\uD800', '👋'.slice(0, 1)]) {
    expect(isStorable(text)).toBe(false);
    expect(isStorable(storable(text))).toBe(true);
    expect(storable(text)).toHaveLength(text.length);
  }
});

test('reports the path of an unstorable text, also of a name', () => {
  expect(unstorableIn({ text: { body: 'a\0' }, to: '62', list: ['x', { y: '\uD800' }] })).toEqual(
    expect.arrayContaining(['text.body', 'list.1.y']),
  );
  expect(unstorableIn({ metadata: { 'a\0': 'x' } })).toEqual(['metadata.a\uFFFD']);
  expect(unstorableIn({ text: { body: 'Halo' }, n: 1, no: null })).toEqual([]);
  expect(unstorableIn('\0')).toEqual(['']);
});

test('checks input nested as deep as a body is long', () => {
  const depth = 400_000;
  const deep: unknown = JSON.parse(`${'{"a":'.repeat(depth)}"\\u0000"${'}'.repeat(depth)}`);
  const [name] = unstorableIn(deep);
  expect(name).toMatch(/^a\.a\.a/);
  expect(name?.length).toBeLessThanOrEqual(100);
});

test('replaces unstorable characters with U+FFFD, names included, and returns valid values unchanged', () => {
  const fine = { text: 'Halo', at: new Date(0) };
  expect(storableJson(fine)).toBe(fine);
  expect(storableJson({ 'a\0': ['\uD800', { b: 'c\0' }], n: 1 })).toEqual({
    'a\uFFFD': ['\uFFFD', { b: 'c\uFFFD' }],
    n: 1,
  });
});
