import { expect, test } from 'vitest';
import { codeFrom, isCode } from './sentCode.ts';

const made = {
  challenge: 'otp_01JDZZZZZZZZZZZZZZZZZZZZZZ',
  sent_to: '+62 812-••••-7890',
  resend_in_seconds: 60,
  expires_in_seconds: 300,
};

test('waits become moments: coming back later does not start them anew', () => {
  expect(codeFrom(made, '6281234567890', 1_000_000)).toEqual({
    challenge: made.challenge,
    sentTo: made.sent_to,
    phone: '6281234567890',
    resendAt: 1_060_000,
    expiresAt: 1_300_000,
  });
});

test('what lacks a text or a moment is no code', () => {
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
