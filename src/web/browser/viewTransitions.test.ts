import { expect, test, vi } from 'vitest';
import { settleTransitions } from './viewTransitions.ts';

test('a transition that is overtaken is no error, and is what the caller gets', async () => {
  const overtaken = { ready: Promise.reject(new DOMException('skipped', 'AbortError')) };
  const startViewTransition = vi.fn<typeof document.startViewTransition>(
    () => overtaken as unknown as ViewTransition,
  );
  vi.stubGlobal('document', {});
  const page = { startViewTransition };
  settleTransitions(page);
  const change = () => undefined;
  expect(page.startViewTransition(change)).toBe(overtaken);
  expect(startViewTransition).toHaveBeenCalledWith(change);
  // Vitest fails a run with a rejection that nobody handled.
  await new Promise((resolve) => setImmediate(resolve));
  vi.unstubAllGlobals();
});

test('a browser without transitions stays without', () => {
  const page = {} as Pick<Document, 'startViewTransition'>;
  settleTransitions(page);
  expect(page).toEqual({});
});
