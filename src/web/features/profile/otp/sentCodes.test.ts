import { expect, test } from 'vitest';
import { codeFrom } from '#web/api/sentCode.ts';
import { storageSet } from '#web/browser/storage.ts';
import { loadSentCodes, saveSentCodes } from './sentCodes.ts';

const made = {
  challenge: 'otp_1',
  sent_to: '+62 812-••••-7890',
  resend_in_seconds: 60,
  expires_in_seconds: 300,
};

test('codes are read as they were stored', () => {
  const code = codeFrom(made, '6281234567890');
  saveSentCodes('codes', [code, code]);
  expect(loadSentCodes('codes', 2)).toEqual([code, code]);
  expect(loadSentCodes('codes', 1)).toBeUndefined();
});

test('ignores malformed codes', () => {
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
    storageSet('tab', 'codes', text);
    expect(loadSentCodes('codes', 1)).toBeUndefined();
  }
});
