import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clearStorageAtSignOut, storageSet, storageGet } from './storage.ts';
import { forgetSessionToken, saveSessionToken } from './session.ts';

/** A browser's storage; its names are its own keys, as in a browser. */
function aStorage(): Storage {
  const storage = Object.create({
    getItem: (name: string) => entries[name] ?? null,
    setItem: (name: string, value: string) => void (entries[name] = value),
    removeItem: (name: string) => void delete entries[name],
  });
  const entries = storage as Record<string, string>;
  return storage;
}

beforeEach(() => {
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('localStorage', aStorage());
  vi.stubGlobal('sessionStorage', aStorage());
});
afterEach(() => void vi.unstubAllGlobals());

test('a draft is stored over a reload of the page', () => {
  saveSessionToken('kbs_ani');
  const stop = clearStorageAtSignOut();
  storageSet('browser', 'draft', 'Halo');
  window.dispatchEvent(new Event('pagehide'));
  expect(storageGet('browser', 'draft')).toBe('Halo');
  storageSet('browser', 'draft', undefined);
  expect(storageGet('browser', 'draft')).toBeUndefined();
  stop();
});

test('who signs out leaves nothing that was written, in any tab; what is not ours stays', () => {
  saveSessionToken('kbs_ani');
  clearStorageAtSignOut();
  localStorage.setItem('ui-theme', 'dark');
  storageSet('browser', 'draft', 'Halo');
  storageSet('tab', 'outgoing', '[]');
  forgetSessionToken();
  window.dispatchEvent(new Event('pagehide'));
  expect(storageGet('browser', 'draft')).toBeUndefined();
  expect(storageGet('tab', 'outgoing')).toBeUndefined();
  expect(localStorage.getItem('ui-theme')).toBe('dark');
});

test('without a storage things are stored as long as the page', () => {
  vi.stubGlobal('localStorage', undefined);
  storageSet('browser', 'draft', 'Halo');
  expect(storageGet('browser', 'draft')).toBe('Halo');
});
