import { expect, test } from 'vitest';
import { acts } from '#contract/acts.ts';
import { actOptions, actSentence, checkSentence, findingSentence, outcomeOf } from './audit.ts';

test('every audited act has a sentence of its own', () => {
  const audited = acts.filter((act) => act.audited).map(({ name }) => name);
  expect(audited.filter((name) => actSentence(name) === name)).toEqual([]);
  const labels = actOptions.map(({ label }) => label);
  expect(new Set(labels).size).toBe(labels.length);
});

test('an act of an older version is shown by its name', () => {
  expect(actSentence('token_sell')).toBe('token_sell');
});

test('a discrepancy names the chain, the entry and the time', () => {
  const at = { account_id: 'acc_01', seq: 1_200, day: '2026-11-21' } as const;
  expect(findingSentence({ ...at, kind: 'missing' })).toBe(
    'acc_01: catatan hilang mulai nomor 1.200, 21 Nov 2026.',
  );
  expect(findingSentence({ ...at, kind: 'changed', account_id: null, day: null })).toBe(
    'Rantai tanpa akun: catatan nomor 1.200 diubah.',
  );
  expect(findingSentence({ ...at, kind: 'seal', account_id: null })).toBe(
    'Segel harian: segel nomor 1.200 hilang atau diubah, 21 Nov 2026.',
  );
});

test('the chain is intact or it is not', () => {
  const check = { at: new Date(), chains: 2, millis: 5, findings: [] };
  expect(checkSentence({ ...check, ok: true, lines: 1_000 })).toMatch(/^Rantai utuh: 1\.000/);
  const finding = { kind: 'head', account_id: null, seq: 1, day: null } as const;
  expect(checkSentence({ ...check, ok: false, lines: 9, findings: [finding] })).toMatch(
    /terputus di 1 tempat/,
  );
});

test('failures are distinguished from refusals', () => {
  expect(['ok', 'otp_wrong', 'our_fault'].map((code) => outcomeOf(code).label)).toEqual([
    'Berhasil',
    'Ditolak',
    'Gangguan',
  ]);
});
