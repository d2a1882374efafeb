import { expect, test } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import type { MoneyOverview } from '#contract/operator/books.ts';
import type { OperatorOverview } from '#contract/operator/overview.ts';
import { inBytes, inWords, problemsOf } from './problems.ts';

const at = new Date('2026-11-21T02:00:00Z');
const hoursAgo = (hours: number) => new Date(at.getTime() - hours * 3_600_000);

const well: OperatorOverview = {
  at,
  minutes: Array.from({ length: 60 }, () => 0),
  accepted: 0,
  failures: [],
  queue: { waiting: 0, more: false, age_seconds: 0 },
  lanes: { running: 0, unowned: 0 },
  events: { lag_seconds: 0, set_aside: 0 },
  pauses: [],
  jobs: [{ name: 'billing', failed_at: hoursAgo(2), is_over: true }],
  jobs_late: [],
  settings_waiting: [],
  dead_notices: 0,
  database: {
    version: '18.1',
    bytes: 1,
    connections: 10,
    connections_max: 60,
    oldest_transaction_seconds: 0,
  },
  disk: { free_bytes: 9_000_000_000, full: [] },
  app: { version: '1.0.0', build: 'x', uptime_seconds: 9, nodes: 1 },
  codes_go_out: true,
  backup: { at: hoursAgo(3), is_ok: true, bytes: 1, path: null, error: null },
  support: { waiting: 1, oldest: hoursAgo(1) },
};
const none = { count: 0, amount: rupiah(0), oldest: null };
const money: MoneyOverview = {
  float: rupiah(0),
  held: rupiah(0),
  topups_today: [],
  waiting: {
    topups: { count: 1, amount: rupiah(50_000), oldest: hoursAgo(1) },
    bank_lines: none,
    suspense: none,
    withdrawn: none,
    refunds: { count: 1, amount: rupiah(50_000), oldest: hoursAgo(20) },
  },
  check: { at: hoursAgo(9), ok: true, millis: 1, findings: [] },
  audit: null,
  seal: null,
  reconciliation: null,
  seller: { missing: [], invoices_waiting: 0 },
  proposals: { count: 1, for_you: 0 },
  topups_for_you: 0,
};

const keys = (overview: Partial<OperatorOverview>, books: Partial<MoneyOverview> = {}) =>
  problemsOf({ ...well, ...overview }, { ...money, ...books }).map(({ key }) => key);

const waits = (work: keyof MoneyOverview['waiting'], hours: number) => ({
  waiting: { ...money.waiting, [work]: { count: 1, amount: rupiah(9), oldest: hoursAgo(hours) } },
});

test('reports no problem for what works, or has recovered', () => {
  expect(keys({})).toEqual([]);
  expect(problemsOf({ ...well, support: null, backup: null }, undefined)).toEqual([]);
});

test('broken parts come before waiting work', () => {
  expect(
    keys(
      { support: { waiting: 2, oldest: hoursAgo(5) }, lanes: { running: 0, unowned: 3 } },
      { ...waits('suspense', 0), check: { ...money.check!, ok: false } },
    ),
  ).toEqual(['lanes', 'books', 'suspense', 'support']);
});

test('reports money without an owner as soon as it is there, with its sum', () => {
  expect(keys({}, waits('bank_lines', 0))).toEqual(['bank-lines']);
  expect(keys({}, waits('withdrawn', 0))).toEqual(['withdrawn']);
  const [problem] = problemsOf(well, { ...money, ...waits('bank_lines', 0) });
  expect(problem?.says).toMatch(/^1 transfer masuk \(Rp\s9\) belum punya pemilik\.$/);
  expect(problem?.act?.to).toBe('/operator/mutasi-bank');
});

test('hides problems outside the operator’s roles', () => {
  const one = problemsOf({ ...well, support: null }, undefined);
  expect(one).toEqual([]);
});

test('each problem is reported only beyond its threshold', () => {
  expect(keys({ disk: { free_bytes: 1_000_000_000, full: [] } })).toEqual(['disk-low']);
  expect(keys({ disk: { free_bytes: 0, full: ['/data'] } })).toEqual(['disk-full']);
  const late = { at: hoursAgo(30), is_ok: false, error: 'overdue' };
  expect(keys({ backup: { ...well.backup!, ...late } })).toEqual(['backup-old']);
  expect(keys({ backup: { ...well.backup!, is_ok: false } })).toEqual(['backup']);
  expect(keys({ queue: { waiting: 1, more: false, age_seconds: 301 } })).toEqual(['queue']);
  expect(keys({ jobs: [{ name: 'billing', failed_at: at, is_over: false }] })).toEqual(['jobs']);
  expect(keys({}, waits('topups', 5))).toEqual(['topups']);
  expect(keys({}, waits('refunds', 27))).toEqual(['refunds']);
  expect(keys({}, { proposals: { count: 1, for_you: 1 } })).toEqual(['proposals']);
  expect(keys({}, { topups_for_you: 1 })).toEqual(['topups-proposed']);
});

test('names the safeguards that wait for a second admin, and the late jobs', () => {
  const says = (overview: Partial<OperatorOverview>) =>
    problemsOf({ ...well, ...overview }, money).map((problem) => problem.says);
  const failed = { name: 'billing', failed_at: at, is_over: false };
  expect(says({ jobs: [failed], jobs_late: ['billing', 'ledger-check'] })).toEqual([
    'Pekerjaan terjadwal gagal: billing. Sebabnya ada di log.',
    'Pekerjaan terjadwal terlambat: ledger-check. Periksa apakah proses worker berjalan.',
  ]);
  const waiting = {
    label: 'Dua operator di atas',
    effective_at: new Date('2026-11-30T04:07:00Z'),
  };
  expect(says({ settings_waiting: [waiting] })).toEqual([
    'Perubahan pengaman uang menunggu admin kedua: Dua operator di atas. Tanpa keputusan, perubahan berlaku otomatis 30 Nov 2026, 11.07.',
  ]);
  expect(says({ settings_waiting: null })).toEqual([]);
});

test('formats times and sizes briefly', () => {
  expect([5, 95, 7_300, 200_000].map(inWords)).toEqual(['5 detik', '1 menit', '2 jam', '2 hari']);
  expect([12_345_678_900, 8_100_000].map(inBytes)).toEqual(['12,3 GB', '8,1 MB']);
});

test('names the missing seller facts for invoices with PPN, and the number waiting', () => {
  const says = (seller: MoneyOverview['seller']) =>
    problemsOf(well, { ...money, seller }).map((problem) => problem.says);
  expect(says({ missing: ['npwp', 'address'], invoices_waiting: 0 })).toEqual([
    'PPN dipungut, tetapi NPWP dan alamat penjual belum diisi. Faktur isi saldo akan menunggu sampai dilengkapi.',
  ]);
  expect(says({ missing: ['address'], invoices_waiting: 3 })).toEqual([
    'PPN dipungut, tetapi alamat penjual belum diisi. 3 faktur isi saldo menunggu, dan terbit otomatis setelah dilengkapi.',
  ]);
});
