import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { forgetAtSignOut, keep, kept } from './storage.ts';
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

test('a draft is kept over a reload of the page', () => {
  saveSessionToken('kbs_ani');
  const stop = forgetAtSignOut();
  keep('browser', 'draft', 'Halo');
  window.dispatchEvent(new Event('pagehide'));
  expect(kept('browser', 'draft')).toBe('Halo');
  keep('browser', 'draft', undefined);
  expect(kept('browser', 'draft')).toBeUndefined();
  stop();
});

test('who signs out leaves nothing that was written, in any tab; what is not ours stays', () => {
  saveSessionToken('kbs_ani');
  forgetAtSignOut();
  localStorage.setItem('ui-theme', 'dark');
  keep('browser', 'draft', 'Halo');
  keep('tab', 'outgoing', '[]');
  forgetSessionToken();
  window.dispatchEvent(new Event('pagehide'));
  expect(kept('browser', 'draft')).toBeUndefined();
  expect(kept('tab', 'outgoing')).toBeUndefined();
  expect(localStorage.getItem('ui-theme')).toBe('dark');
});

test('without a storage things are kept as long as the page', () => {
  vi.stubGlobal('localStorage', undefined);
  keep('browser', 'draft', 'Halo');
  expect(kept('browser', 'draft')).toBe('Halo');
});
