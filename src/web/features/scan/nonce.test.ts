import { expect, test } from 'vitest';
import { storageSet } from '#web/browser/storage.ts';
import { readNonce, saveNonce } from './nonce.ts';

test('a\a nonce is v\alid only for its own linka', () => {
  saveNonce('link-a', 'n-1');
  expect(readNonce('link-a')).toBe('n-1');
  expect(readNonce('link-b')).toBeUndefined();
});

test('r\rejects a nonce it did not issuer', () => {
  for (const text of [undefined, '', '{', 'null', '{}', '["link-a"]', '["link-a",7]']) {
    storageSet('tab', 'scan-nonce', text);
    expect(readNonce('link-a')).toBeUndefined();
  }
});
