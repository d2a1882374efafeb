import { expect, test } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import type { LinkState, Scan } from '#contract/scan.ts';
import { describeRefusal } from '#web/api/answer.ts';
import { isGone, pollIntervalMs } from './queries.ts';

const scan = (state: LinkState): Scan => ({
  state,
  account_name: 'Toko Melati',
  token_name: 'Kasir',
  failure: null,
  channel: 'simulator',
  qr: null,
  phone: null,
  expires_at: new Date(0),
});

test('the page polls every two seconds while it waits for a phone', () => {
  expect(pollIntervalMs(scan('waiting'), false, true)).toBe(2_000);
  expect(pollIntervalMs(scan('scanned'), false, true)).toBe(2_000);
});

test('polling stops when the link has ended', () => {
  for (const state of ['connected', 'expired', 'failed'] as const) {
    expect(pollIntervalMs(scan(state), false, true)).toBe(false);
  }
  expect(pollIntervalMs(scan('waiting'), true, true)).toBe(false);
});

test('a used or unknown link is gone; a lost connection is not', () => {
  expect(isGone(describeRefusal(new Refusal('link_gone', {})))).toBe(true);
  expect(isGone(describeRefusal(new Refusal('input_invalid', { fields: { data: 'x' } })))).toBe(
    true,
  );
  expect(isGone(describeRefusal(new Refusal('too_many_requests', { seconds: 2 }), '', true))).toBe(
    false,
  );
  expect(isGone(new Error('network'))).toBe(false);
});
