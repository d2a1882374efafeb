import { expect, test } from 'vitest';
import { WIB } from '#contract/base/time.ts';
import {
  adviceFor,
  answerWords,
  formatDaySecond,
  webhookStatus,
  webhookStatusWord,
  switchedOffAt,
} from '#web/features/webhooks/labels.ts';

const since = new Date('2026-11-21T02:05:07Z');

test('a webhook shows its state in one line, and why it is off', () => {
  const on = { state: 'on', off_reason: null, failing_since: null } as const;
  expect(webhookStatus(null, WIB).words).toBe('Belum dipasang');
  expect(webhookStatus(on, WIB)).toEqual({ tone: 'success', words: 'Aktif' });
  const failing = { ...on, failing_since: since };
  const words = 'Gagal sejak 21 Nov 2026, 09.05';
  expect(webhookStatus(failing, WIB)).toEqual({ tone: 'warning', words });
  const gone = { ...failing, state: 'off', off_reason: 'gone' } as const;
  expect(webhookStatus(gone, WIB)).toEqual({
    tone: 'danger',
    words: 'Mati: alamatnya menjawab 410',
  });
  expect([on, failing, gone].map(webhookStatusWord)).toEqual(['Aktif', 'Gagal', 'Mati']);
});

test('three days of failures switch it off', () => {
  expect(switchedOffAt(since)).toEqual(new Date('2026-11-24T02:05:07Z'));
  expect(formatDaySecond(since, WIB)).toBe('21 Nov 2026, 09.05.07');
});

test('a response is its status, or why there was none, with what to do about it', () => {
  expect(answerWords({ status: 503, error: null })).toBe('HTTP 503');
  expect(answerWords({ status: null, error: 'late' })).toBe('Tidak dijawab dalam 10 detik');
  expect(answerWords({ status: null, error: null })).toBe('');
  expect(adviceFor({ status: 204, error: null })).toBeUndefined();
  expect(adviceFor({ status: 308, error: null })).toMatch(/Pengalihan/);
  expect(adviceFor({ status: 410, error: null })).toMatch(/menghentikan/);
});
