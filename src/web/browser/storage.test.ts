import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clearStorageAtSignOut, storageSet, storageGet } from './storage.ts';
import { forgetSessionToken, saveSessionToken } from './session.ts';

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

test('keeps a draft over a reload', () => {
  saveSessionToken('kbs_ani');
  const stop = clearStorageAtSignOut();
  storageSet('browser', 'draft', 'Halo');
  window.dispatchEvent(new Event('pagehide'));
  expect(storageGet('browser', 'draft')).toBe('Halo');
  storageSet('browser', 'draft', undefined);
  expect(storageGet('browser', 'draft')).toBeUndefined();
  stop();
});

test('erases all stored texts in every tab at sign-out, and no foreign entries', () => {
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

test('stores in memory without a storage', () => {
  vi.stubGlobal('localStorage', undefined);
  storageSet('browser', 'draft', 'Halo');
  expect(storageGet('browser', 'draft')).toBe('Halo');
});
