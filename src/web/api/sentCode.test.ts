import { expect, test } from 'vitest';
import { codeFrom, isCode } from './sentCode.ts';

const made = {
  challenge: 'otp_01JDZZZZZZZZZZZZZZZZZZZZZZ',
  sent_to: '+62 812-••••-7890',
  resend_in_seconds: 60,
  expires_in_seconds: 300,
};

test('stores waits as absolute times, so that a reload does not restart them', () => {
  expect(codeFrom(made, '6281234567890', 1_000_000)).toEqual({
    challenge: made.challenge,
    sentTo: made.sent_to,
    phone: '6281234567890',
    resendAt: 1_060_000,
    expiresAt: 1_300_000,
  });
});

test('rejects a code without a text or a time', () => {
  const code = codeFrom(made, '6281234567890');
  expect(isCode(code)).toBe(true);
  for (const odd of [
    undefined,
    null,
    '',
    1,
    [],
    {},
    { ...code, challenge: '' },
    { ...code, sentTo: 1 },
    { ...code, phone: undefined },
    { ...code, resendAt: 'soon' },
    { ...code, expiresAt: Number.NaN },
  ]) {
    expect(isCode(odd)).toBe(false);
  }
});
