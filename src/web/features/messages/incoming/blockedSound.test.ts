import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { storageClear } from '#web/browser/storage.ts';
import { notifyBlockedSound } from './useIncoming.ts';
import { dismissToast, TOAST_MS, toasts } from '#web/ui/toast/toasts.ts';

type Page = { hidden: boolean; touched: boolean };

function openPage(page: Page) {
  const listeners = new Set<() => void>();
  vi.stubGlobal('navigator', {
    userActivation: {
      get hasBeenActive() {
        return page.touched;
      },
    },
  });
  vi.stubGlobal('document', {
    get hidden() {
      return page.hidden;
    },
    addEventListener: (_: string, listener: () => void) => listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => listeners.delete(listener),
  });
  return {
    look: () => {
      page.hidden = false;
      for (const listener of listeners) listener();
    },
    listeners,
  };
}

const said = () => toasts.get().map(({ text }) => text);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  for (const { id } of toasts.get()) dismissToast(id);
  storageClear();
  // The same toast is repeated only after a while.
  vi.advanceTimersByTime(2 * TOAST_MS);
  vi.unstubAllGlobals();
});

test('reports a blocked sound once, however many follow', () => {
  openPage({ hidden: false, touched: false });
  notifyBlockedSound('refused');
  expect(said()).toEqual([expect.stringMatching(/^Browser menahan bunyi pesan baru/)]);
  for (const { id } of toasts.get()) dismissToast(id);
  vi.advanceTimersByTime(2 * TOAST_MS);
  notifyBlockedSound('refused');
  expect(said()).toEqual([]);
});

test('stays silent about sounds that were played, that failed, or that belong to another tab', () => {
  openPage({ hidden: false, touched: false });
  for (const sounded of ['played', 'failed', undefined] as const) notifyBlockedSound(sounded);
  expect(said()).toEqual([]);
});

test('reports it when the hidden page is looked at again, unless it was touched meanwhile', () => {
  const page = { hidden: true, touched: false };
  const { look, listeners } = openPage(page);
  notifyBlockedSound('refused');
  notifyBlockedSound('refused');
  expect(said()).toEqual([]);
  look();
  expect(said()).toHaveLength(1);
  expect(listeners.size).toBe(0);

  for (const { id } of toasts.get()) dismissToast(id);
  storageClear();
  vi.advanceTimersByTime(2 * TOAST_MS);
  page.hidden = true;
  notifyBlockedSound('refused');
  page.touched = true;
  look();
  expect(said()).toEqual([]);
});
