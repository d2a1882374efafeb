import { expect, test } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { forecastSentence, formatPeriod, levelOf } from '#web/features/billing/plan/usage.ts';

const day = (text: string) => new Date(`${text}T00:00:00+07:00`);
const period = { period_start: day('2026-11-01'), period_end: day('2026-12-01') };
const plan = { overage: rupiah(75) };
const used = (count: number, beyond: number, forecast: number | null) => ({
  ...period,
  plan,
  usage: { used: count, quota: 5_000, beyond, beyond_amount: rupiah(beyond * 75), forecast },
});
const said = (...given: Parameters<typeof used>) =>
  forecastSentence(used(...given)).replace(/\s/g, ' ');

test('a period is shown by its first and last day', () => {
  expect(formatPeriod(day('2026-11-21'), day('2026-12-21'))).toBe('21 Nov – 20 Des 2026');
  expect(formatPeriod(day('2026-12-21'), day('2027-01-21'))).toBe('21 Des 2026 – 20 Jan 2027');
});

test('forecasts when an insufficient quota runs out, and what happens then', () => {
  expect(said(3_000, 0, 6_250)).toBe(
    'Dengan pemakaian sekarang, kuota habis sekitar 25 Nov. Sampai 30 Nov terpakai sekitar 1.250 pesan di luar kuota, Rp 93.750.',
  );
});

test('a plan without a quota has no forecast', () => {
  const none = { ...used(0, 12, 31), usage: { ...used(0, 12, 31).usage, quota: 0 } };
  expect(forecastSentence(none)).toBe(
    'Paket ini tidak punya kuota: setiap pesan dibayar dari saldo.',
  );
});

test('describes a sufficient, a used-up and an unused quota', () => {
  expect(said(1_000, 0, 3_100)).toBe(
    'Dengan pemakaian sekarang, sekitar 3.100 pesan terpakai sampai 30 Nov: kuota cukup.',
  );
  expect(said(5_000, 320, 7_400)).toMatch(/^Kuota sudah habis\. .* 2\.400 pesan di luar kuota/);
  expect(said(0, 0, null)).toBe('Belum ada pesan terkirim pada periode ini.');
  expect(said(12, 0, null)).toBe('Perkiraan sampai akhir periode tampil mulai besok.');
});

test('the bar warns before the quota is used up', () => {
  expect(levelOf({ used: 3_999, quota: 5_000 })).toBe('calm');
  expect(levelOf({ used: 4_000, quota: 5_000 })).toBe('near');
  expect(levelOf({ used: 5_000, quota: 5_000 })).toBe('over');
});
