import { expect, test } from 'vitest';
import { portalTabs, seenTab, tabFor } from '#web/service-worker/tabs.ts';

const origin = 'https://kabari.example';
const tab = (path: string, how: 'focused' | 'visible' | 'hidden' = 'hidden') => ({
  url: origin + path,
  visibilityState: how === 'hidden' ? 'hidden' : 'visible',
  focused: how === 'focused',
});

test('auth pages, the simulated phone and public pages get no messages', () => {
  const tabs = ['/auth/login', '/simulator', '/scan/abc', '/leaving', '/__galeri', '/', '/saldo'];
  const portal = portalTabs(
    [...tabs.map((path) => tab(path)), { ...tab('/'), url: 'https://evil.example/' }],
    origin,
  );
  expect(portal.map(({ url }) => url)).toEqual([`${origin}/`, `${origin}/saldo`]);
});

test('the focused tab is notified of a message before another visible one; hidden ones are not', () => {
  const [seen, focused] = [tab('/', 'visible'), tab('/saldo', 'focused')];
  expect(seenTab([tab('/token'), seen, focused])).toBe(focused);
  expect(seenTab([tab('/token'), seen])).toBe(seen);
  expect(seenTab([tab('/token')])).toBeUndefined();
});

test('a click goes to the tab that is there already, else to the nearest, else to none', () => {
  const [there, focused] = [tab('/saldo?open=1'), tab('/', 'focused')];
  expect(tabFor([focused, there], '/saldo?open=1', origin)).toBe(there);
  expect(tabFor([tab('/token'), focused], '/saldo', origin)).toBe(focused);
  const hidden = tab('/token');
  expect(tabFor([hidden], '/saldo', origin)).toBe(hidden);
  expect(tabFor([], '/saldo', origin)).toBeUndefined();
});
