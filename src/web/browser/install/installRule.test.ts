import { expect, test } from 'vitest';
import { isWorthOffering } from '#web/browser/install/installRule.ts';

test('the app is offered to who came back and did something', () => {
  expect(isWorthOffering({ visits: 2, acted: true, putOff: false })).toBe(true);
});

test('not on the first visit, not to who only looked, not again after "later"', () => {
  expect(isWorthOffering({ visits: 1, acted: true, putOff: false })).toBe(false);
  expect(isWorthOffering({ visits: 5, acted: false, putOff: false })).toBe(false);
  expect(isWorthOffering({ visits: 5, acted: true, putOff: true })).toBe(false);
});
