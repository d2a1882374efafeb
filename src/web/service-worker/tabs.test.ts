import { expect, test } from 'vitest';
import { portalTabs, seenTab, tabFor } from '#web/service-worker/tabs.ts';

const origin = 'https://kabari.example';
const tab = (path: string, how: 'focused' | 'visible' | 'hidden' = 'hidden') => ({
  url: origin + path,
  visibilityState: how === 'hidden' ? 'hidden' : 'visible',
  focused: how === 'focused',
});

test('sends no messages to auth pages, the simulated phone and public pages', () => {
  const tabs = ['/auth/login', '/simulator', '/scan/abc', '/leaving', '/__galeri', '/', '/saldo'];
  const portal = portalTabs(
    [...tabs.map((path) => tab(path)), { ...tab('/'), url: 'https://evil.example/' }],
    origin,
  );
  expect(portal.map(({ url }) => url)).toEqual([`${origin}/`, `${origin}/saldo`]);
});

test('sends a message to the focused tab before another visible one, never to hidden ones', () => {
  const [seen, focused] = [tab('/', 'visible'), tab('/saldo', 'focused')];
  expect(seenTab([tab('/token'), seen, focused])).toBe(focused);
  expect(seenTab([tab('/token'), seen])).toBe(seen);
  expect(seenTab([tab('/token')])).toBeUndefined();
});

test('directs a click to the tab on that page, else to the nearest, else to none', () => {
  const [there, focused] = [tab('/saldo?open=1'), tab('/', 'focused')];
  expect(tabFor([focused, there], '/saldo?open=1', origin)).toBe(there);
  expect(tabFor([tab('/token'), focused], '/saldo', origin)).toBe(focused);
  const hidden = tab('/token');
  expect(tabFor([hidden], '/saldo', origin)).toBe(hidden);
  expect(tabFor([], '/saldo', origin)).toBeUndefined();
});
