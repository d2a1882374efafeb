import { expect, test } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { nameAndNumberOf } from '#contract/messages/peer.ts';
import { canResend, hasCost, manyActions } from './labels.ts';

const failed = { direction: 'out', status: 'failed', type: 'text', failure: null } as const;

test('offers resending only where the failure allows it', () => {
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

test('offers only actions that fit at least one selected message', () => {
  const read = { ...failed, status: 'read' } as const;
  const received = { ...failed, direction: 'in', status: 'received' } as const;
  const queued = { ...failed, status: 'queued' } as const;
  expect(manyActions([read, read])).toEqual(['export']);
  expect(manyActions([received, read])).toEqual(['export']);
  expect(manyActions([read, queued])).toEqual(['cancel', 'export']);
  expect(manyActions([failed, read])).toEqual(['resend', 'export']);
  const optedOut = { ...failed, failure: 'opted_out' } as const;
  expect(manyActions([optedOut, read])).toEqual(['export']);
  expect(manyActions([optedOut, failed])).toEqual(['resend', 'export']);
});

test('shows no cost within the quota, and 0 for what was not delivered', () => {
  const read = { ...failed, status: 'read' } as const;
  expect(hasCost({ ...read, price: rupiah(0) })).toBe(false);
  expect(hasCost({ ...read, price: rupiah(150) })).toBe(true);
  expect(hasCost({ ...failed, price: rupiah(0) })).toBe(true);
  expect(hasCost({ ...failed, direction: 'in', status: 'received', price: rupiah(150) })).toBe(
    false,
  );
});

test('writes a name with the number beside it, or the number alone', () => {
  const peer = '6281234567890';
  expect(nameAndNumberOf({ peer, peer_name: 'Budi' })).toBe('Budi (+62 812-3456-7890)');
  expect(nameAndNumberOf({ peer, peer_name: null })).toBe('+62 812-3456-7890');
});
