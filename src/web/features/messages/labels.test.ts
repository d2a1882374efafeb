import { expect, test } from 'vitest';
import { canResend } from './labels.ts';

const failed = { direction: 'out', status: 'failed', type: 'text' } as const;

test('a message is sent once more where that may help, and not where its failure says otherwise', () => {
  expect(canResend({ ...failed, failure: 'network_billing' })).toBe(true);
  expect(canResend({ ...failed, status: 'expired', failure: null })).toBe(true);
  for (const failure of ['network_declined', 'opted_out', 'window_closed'] as const) {
    expect(canResend({ ...failed, failure })).toBe(false);
  }
  expect(canResend({ ...failed, type: 'image', failure: 'no_answer' })).toBe(true);
  expect(canResend({ ...failed, type: 'reaction', failure: 'no_answer' })).toBe(false);
  expect(canResend({ ...failed, status: 'cancelled', failure: null })).toBe(true);
  expect(canResend({ ...failed, direction: 'in', failure: null })).toBe(false);
  expect(canResend({ ...failed, status: 'read', failure: null })).toBe(false);
});
