import { expect, test } from 'vitest';
import { isWorthOffering } from '#web/browser/install/install.ts';

test('offers the app to a returning visitor who did something', () => {
  expect(isWorthOffering({ visits: 2, acted: true, putOff: false })).toBe(true);
});

test('does not offer it on the first visit, without an action, or after "later"', () => {
  expect(isWorthOffering({ visits: 1, acted: true, putOff: false })).toBe(false);
  expect(isWorthOffering({ visits: 5, acted: false, putOff: false })).toBe(false);
  expect(isWorthOffering({ visits: 5, acted: true, putOff: true })).toBe(false);
});
