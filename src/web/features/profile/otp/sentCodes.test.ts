import { expect, test } from 'vitest';
import { codeFrom } from '#web/api/sentCode.ts';
import { codesIn } from './sentCodes.ts';

const made = {
  challenge: 'otp_1',
  sent_to: '+62 812-••••-7890',
  resend_in_seconds: 60,
  expires_in_seconds: 300,
};

test('codes are read as they were stored', () => {
  const code = codeFrom(made, '6281234567890', 1_000_000);
  expect(codesIn(JSON.stringify([code, code]))).toEqual([code, code]);
});

test('what is not ours is not read', () => {
  const code = codeFrom(made, '6281234567890');
  for (const text of [
    undefined,
    '',
    '{',
    'null',
    '{}',
    '[1]',
    '[null]',
    JSON.stringify([{ ...code, challenge: '' }]),
    JSON.stringify([{ ...code, resendAt: 'soon' }]),
  ]) {
    expect(codesIn(text)).toEqual([]);
  }
});
