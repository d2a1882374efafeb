import { expect, test } from 'vitest';
import { storageSet } from '#web/browser/storage.ts';
import { pendingFrom, readPending, savePending } from './pendingOtp.ts';
import { codeFrom } from '#web/api/sentCode.ts';

const made = {
  challenge: 'otp_01JDZZZZZZZZZZZZZZZZZZZZZZ',
  sent_to: '+62 812-••••-7890',
  resend_in_seconds: 60,
  expires_in_seconds: 300,
};

test('turns waits into times that survive a reload', () => {
  const pending = pendingFrom(made, { purpose: 'login', phone: '6281234567890' }, 1_000_000);
  expect(pending).toMatchObject({ purpose: 'login', resendAt: 1_060_000, expiresAt: 1_300_000 });
  savePending(pending);
  expect(readPending()).toEqual(pending);
});

test('ignores a malformed pending code', () => {
  for (const text of [
    undefined,
    '',
    '{',
    'null',
    '[]',
    '{"challenge":"otp_1"}',
    '{"challenge":1}',
    JSON.stringify(codeFrom(made, '62812')),
    JSON.stringify({ ...codeFrom(made, '62812'), purpose: 'admin' }),
  ]) {
    storageSet('tab', 'otp-pending', text);
    expect(readPending()).toBeUndefined();
  }
});
