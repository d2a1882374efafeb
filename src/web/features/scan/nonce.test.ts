import { expect, test } from 'vitest';
import { nonceIn } from './nonce.ts';

test('a nonce is good for the link it was given for, and for no other', () => {
  const stored = JSON.stringify(['link-a', 'n-1']);
  expect(nonceIn(stored, 'link-a')).toBe('n-1');
  expect(nonceIn(stored, 'link-b')).toBeUndefined();
});

test('what is not ours is no nonce', () => {
  for (const text of [undefined, '', '{', 'null', '{}', '["link-a"]', '["link-a",7]']) {
    expect(nonceIn(text, 'link-a')).toBeUndefined();
  }
});
