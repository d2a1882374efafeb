import { expect, test } from 'vitest';
import { reviewSentence } from '#web/features/tokens/labels.ts';

const since = new Date('2026-11-21T02:05:00Z');

test('the reason for a review contains the time, in the reader’s zone', () => {
  expect(reviewSentence({ cause: 'password_reset', since }, 'Asia/Jakarta')).toBe(
    'Kata sandi akun ini diganti dengan kode pada 21 Nov 2026, 09.05. Pastikan token ini masih Anda kenal.',
  );
  expect(reviewSentence({ cause: 'phone_changed', since }, 'Asia/Jayapura')).toBe(
    'Nomor akun ini diganti pada 21 Nov 2026, 11.05. Pastikan token ini masih Anda kenal.',
  );
});
