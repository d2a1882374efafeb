import { expect, test } from 'vitest';
import {
  beginningOf,
  contentWords,
  durationWords,
  measuredPace,
  invalidReason,
  leftOutWords,
  listFromPasted,
  recipientWords,
  scheduledAt,
} from '#web/features/campaigns/labels.ts';

test('a duration is written as in everyday speech', () => {
  expect(durationWords(10, 600)).toBe('kurang dari 1 menit');
  expect(durationWords(1_000, 60)).toBe('sekitar 17 menit');
  expect(durationWords(60_000, 600)).toBe('sekitar 1 jam 40 menit');
  expect(durationWords(36_000, 600)).toBe('sekitar 1 jam');
  expect(durationWords(71_900, 600)).toBe('sekitar 2 jam');
  expect(durationWords(100_000, 10)).toBe('sekitar 7 hari');
});

test('a pace is measured once enough time has passed', () => {
  const first = { done: 100, atMs: 5_000 };
  expect(measuredPace(first, { done: 400, atMs: 14_000 })).toBeUndefined();
  expect(measuredPace(first, { done: 100, atMs: 65_000 })).toBeUndefined();
  expect(measuredPace(first, { done: 400, atMs: 65_000 })).toBe(300);
});

test('an excluded recipient shows the reason', () => {
  const all = {
    total: 50,
    waiting: 47,
    placed: 0,
    refused: 0,
    cancelled: 0,
    invalid: 1,
    duplicate: 2,
    opted_out: 0,
    incomplete: 0,
  };
  expect(leftOutWords(all)).toBe('3 baris tidak dikirimi: 1 nomor salah, 2 nomor ganda.');
  expect(leftOutWords({ ...all, invalid: 0, duplicate: 0 })).toBe('');
});

test('a row without a number shows why, and a draft has no waiting recipients', () => {
  expect(invalidReason('')).toBe('Kolom nomornya kosong.');
  expect(invalidReason('8,13556E+11')).toMatch(/^Dipersingkat oleh Excel/);
  expect(invalidReason('6.28136e11')).toMatch(/^Dipersingkat oleh Excel/);
  expect(invalidReason('0812')).toBe('Bukan nomor telepon yang lengkap.');
  expect(invalidReason('Budi')).toBe('Bukan nomor telepon.');
  expect(recipientWords('waiting', { status: 'draft' })).toBe('Akan dikirim');
  expect(recipientWords('waiting', { status: 'running' })).toBe('Menunggu giliran');
  expect(recipientWords('duplicate', { status: 'draft' })).toBe('Nomor ganda');
});

test('numbers of one cell are stacked, and names stay beside their number', () => {
  expect(listFromPasted('0812-3456-7890, 0813-1111-2222;+62 812 7777 0001')).toBe(
    '0812-3456-7890\n0813-1111-2222\n+62 812 7777 0001',
  );
  expect(listFromPasted('0812-3456-7890, Budi\r\n0813-1111-2222, Siti')).toBe(
    '0812-3456-7890, Budi\n0813-1111-2222, Siti',
  );
});

test('a scheduled campaign has begun only once its time has come', () => {
  const started_at = new Date('2026-11-30T10:00:00Z');
  const starts_at = new Date('2026-12-01T01:30:00Z');
  const scheduled = { status: 'running', started_at, starts_at, ended_at: null } as const;
  const later = new Date('2026-12-01T02:00:00Z');
  expect(scheduledAt(scheduled, started_at)).toEqual(starts_at);
  expect(beginningOf(scheduled, started_at)).toBeUndefined();
  expect(scheduledAt(scheduled, later)).toBeUndefined();
  expect(beginningOf(scheduled, later)).toEqual(starts_at);
  expect(beginningOf({ ...scheduled, ended_at: started_at }, later)).toBeUndefined();
  expect(beginningOf({ ...scheduled, starts_at: null }, later)).toEqual(started_at);
});

test('the content is written with its variables', () => {
  expect(contentWords({ type: 'text', text: 'Halo {nama}' })).toBe('Halo {nama}');
  const file = { id: 'med_1', as: 'document', name: 'harga.pdf', size: 1 } as const;
  expect(contentWords({ type: 'file', file })).toBe('harga.pdf');
  expect(contentWords({ type: 'file', file, caption: 'Harga baru' })).toBe('harga.pdf\nHarga baru');
  const place = { type: 'location', latitude: -6.2, longitude: 106.8 } as const;
  expect(contentWords(place)).toBe('-6.2, 106.8');
  expect(contentWords({ ...place, name: 'Toko', address: 'Jl. Kenanga 1' })).toBe(
    'Toko, Jl. Kenanga 1',
  );
  expect(
    contentWords({ type: 'template', name: 'promo', language: 'id', variables: ['{nama}'] }),
  ).toBe('Templat promo\n{nama}');
});
