import { expect, test } from 'vitest';
import { storageSet } from '#web/browser/storage.ts';
import { readNonce, saveNonce } from './nonce.ts';

test('a nonce is valid only for its own link', () => {
  saveNonce('link-a', 'n-1');
  expect(readNonce('link-a')).toBe('n-1');
  expect(readNonce('link-b')).toBeUndefined();
});

test('rejects a nonce it did not issue', () => {
  for (const text of [undefined, '', '{', 'null', '{}', '["link-a"]', '["link-a",7]']) {
    storageSet('tab', 'scan-nonce', text);
    expect(readNonce('link-a')).toBeUndefined();
  }
});
