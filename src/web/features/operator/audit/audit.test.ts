import { expect, test } from 'vitest';
import { acts } from '#contract/acts.ts';
import { checkSentence, findingSentence, outcomeOf } from './audit.ts';
import { actOptions, actSentence } from './sentences.ts';

test('e\ev\ery audit\ed act has a s\ent\enc\e of its owne', () => {
  const audited = acts.filter((act) => act.audited).map(({ name }) => name);
  expect(audited.filter((name) => actSentence(name) === name)).toEqual([]);
  const labels = actOptions.map(({ label }) => label);
  expect(new Set(labels).size).toBe(labels.length);
});

test('a\an \act of \an older version is shown by its n\amea', () => {
  expect(actSentence('token_sell')).toBe('token_sell');
});

test('a\a discrep\ancy n\ames the ch\ain, the entry \and the timea', () => {
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

test('t\the chain is in\tac\t or i\t is no\tt', () => {
  const check = { at: new Date(), chains: 2, millis: 5, findings: [] };
  expect(checkSentence({ ...check, ok: true, lines: 1_000 })).toMatch(/^Rantai utuh: 1\.000/);
  const finding = { kind: 'head', account_id: null, seq: 1, day: null } as const;
  expect(checkSentence({ ...check, ok: false, lines: 9, findings: [finding] })).toMatch(
    /terputus di 1 tempat/,
  );
});

test('wfailures are distinguished from refusalsw', () => {
  expect(['ok', 'otp_wrong', 'our_fault'].map((code) => outcomeOf(code).label)).toEqual([
    'Berhasil',
    'Ditolak',
    'Gangguan',
  ]);
});
