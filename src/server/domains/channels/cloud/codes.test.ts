import { expect, test } from 'vitest';
import { failures } from '#contract/messages/failures.ts';
import { knownMeaning, laterMs, meaningOf, meanings } from './codes.ts';

const table: readonly (readonly [codes: readonly number[], does: string, failure: string])[] = [
  [[0, 3, 10, 190, 200, 219, 299, 131005], 'verify', 'network_access'],
  [[131037, 131045, 133000, 133005, 133006, 133008], 'part', 'network_access'],
  [[133009, 133010, 133015, 133016], 'part', 'network_access'],
  [[4, 80007, 130429, 131056], 'later', 'rate_limited'],
  [[1, 2, 131000, 131016, 131057, 133004], 'later', 'no_answer'],
  [[33, 100, 131008, 131009, 131021, 131030, 131051], 'fail', 'rejected'],
  [[135000], 'fail', 'unexplained'],
  [[131026], 'fail', 'not_on_whatsapp'],
  [[130472, 131049], 'fail', 'network_declined'],
  [[131050], 'fail', 'opted_out'],
  [[131047], 'fail', 'window_closed'],
  [[131052], 'fail', 'media_unreachable'],
  [[131053], 'fail', 'media_refused'],
  [[131031, 131048, 368], 'pause', 'number_restricted'],
  [[130497], 'rest', 'number_restricted'],
  [[131042], 'pause', 'network_billing'],
  [[132000, 132001, 132005, 132007, 132012, 132068, 132069, 132999], 'fail', 'template_refused'],
  [[132015, 132016], 'rest', 'template_refused'],
];

test.each(table.flatMap(([codes, ...means]) => codes.map((code) => [code, ...means] as const)))(
  '%i: %s, %s',
  (code, does, failure) => {
    expect(meaningOf({ code }, 400)).toMatchObject({ does, failure });
    expect(Object.keys(failures)).toContain(failure);
  },
);

test('maps no code that the table does not list', () => {
  const named = new Set(table.flatMap(([codes]) => codes));
  expect(Object.keys(meanings).filter((code) => !named.has(Number(code)))).toEqual([]);
});

test('restricts the number for a locked account and for spam', () => {
  expect(meaningOf({ code: 131031 }, 403)).toMatchObject({ restrict: 'blocked' });
  expect(meaningOf({ code: 131048 }, 400)).toMatchObject({ restrict: 'quality' });
});

test('verifies a number out of reach, although its code is that of any wrong value', () => {
  expect(meaningOf({ code: 100, subcode: 33 }, 400)).toMatchObject({ does: 'verify' });
});

test('judges an unknown code by the other facts of the error', () => {
  expect(knownMeaning({ code: 999_999 })).toBeUndefined();
  expect(meaningOf({ code: 999_999 }, 400)).toMatchObject({
    does: 'fail',
    failure: 'unexplained',
  });
  expect(meaningOf({ code: 999_999 }, 429)).toMatchObject({ does: 'later' });
  expect(meaningOf({ code: 999_999 }, 503)).toMatchObject({ does: 'later' });
  expect(meaningOf({ code: 999_999, isTransient: true }, 400)).toMatchObject({ does: 'later' });
});

test('doubles the wait with each try, to no less than Meta asks and no more than half an hour', () => {
  expect([1, 2, 3].map((attempt) => laterMs(2_000, attempt))).toEqual([2_000, 4_000, 8_000]);
  expect(laterMs(2_000, 1, 9_000)).toBe(9_000);
  expect(laterMs(2_000, 40, 0)).toBe(30 * 60_000);
});
