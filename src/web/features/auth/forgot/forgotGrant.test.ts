import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { storageSet } from '#web/browser/storage.ts';
import { readGrant, saveGrant } from './forgotGrant.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const grant = { grant: 'g'.repeat(43), phone: '6281234567890', expiresAt: 1_600_000 };

test('a grant expires exactly at its time', () => {
  saveGrant(grant);
  vi.setSystemTime(1_599_999);
  expect(readGrant()).toEqual(grant);
  vi.setSystemTime(1_600_000);
  expect(readGrant()).toBeUndefined();
});

test('ignores a malformed grant', () => {
  const odd = [undefined, '', '{', 'null', '[]', '{"grant":"g"}', '{"grant":1,"phone":"62"}'];
  vi.setSystemTime(0);
  for (const text of odd) {
    storageSet('tab', 'forgot-grant', text);
    expect(readGrant()).toBeUndefined();
  }
});
