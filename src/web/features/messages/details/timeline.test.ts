import { expect, test } from 'vitest';
import { failures, retrySentence } from '#contract/messages/failures.ts';
import { timelineEntries } from './timeline.ts';

const step = (kind: 'accepted' | 'queued' | 'sent' | 'delivered' | 'failed', minute: number) => ({
  kind,
  at: new Date(Date.UTC(2026, 10, 21, 2, minute)),
  detail: null,
});
const titles = (entries: readonly { title: unknown; pending?: boolean }[]) =>
  entries.map(({ title, pending }) => (pending ? `(${String(title)})` : title));

test('a message on its way shows past and future steps', () => {
  const entries = timelineEntries(
    {
      timeline: [step('accepted', 5), step('queued', 5), step('sent', 6)],
      status: 'sent',
      failure: null,
      scheduled_at: null,
    },
    'Asia/Jakarta',
  );
  expect(titles(entries)).toEqual(['Diterima sistem', 'Antre', 'Terkirim', '(Sampai di ponsel)']);
  expect(entries[2]?.time).toBe('21 Nov 2026, 09.06');
});

test('a failure shows the reason, and no further steps', () => {
  const entries = timelineEntries(
    {
      timeline: [step('accepted', 5), step('failed', 7)],
      status: 'failed',
      failure: 'blocked',
      scheduled_at: null,
    },
    'Asia/Jakarta',
  );
  expect(titles(entries)).toEqual(['Diterima sistem', 'Gagal']);
  expect(entries[1]?.detail).toBe(failures.blocked);
  expect(entries[1]?.tone).toBe('danger');
});

test('during automatic retries the person is not asked to act, unless an access token must be entered', () => {
  const [retrying, refused, unknown] = timelineEntries(
    {
      timeline: [
        { kind: 'retrying', at: new Date(0), detail: retrySentence('rate_limited', 'id') },
        { kind: 'retrying', at: new Date(0), detail: retrySentence('network_access', 'id') },
        { kind: 'unknown', at: new Date(0), detail: failures.no_answer },
      ],
      status: 'sending',
      failure: null,
      scheduled_at: null,
    },
    'Asia/Jakarta',
  );
  expect(retrying?.detail).not.toContain('Kirim ulang');
  expect(refused?.detail).toContain('Bila token aksesnya masih berlaku');
  expect(unknown?.detail).not.toContain('Kirim ulang');
});

test('a scheduled message shows its time in the local zone', () => {
  const scheduled_at = new Date('2026-11-21T07:05:00Z');
  const timeline = [
    step('accepted', 5),
    { kind: 'scheduled' as const, at: new Date(0), detail: 'Untuk 21 Nov 2026, 14.05 WIB' },
  ];
  const said = (zone: string, status: 'scheduled' | 'sent') =>
    timelineEntries({ timeline, status, failure: null, scheduled_at }, zone)[1]?.detail;
  expect(said('Asia/Jakarta', 'scheduled')).toBe('Akan dikirim 21 Nov 2026, 14.05 WIB');
  expect(said('Asia/Jayapura', 'scheduled')).toBe('Akan dikirim 21 Nov 2026, 16.05 WIT');
  expect(said('Asia/Jakarta', 'sent')).toBe('Untuk 21 Nov 2026, 14.05 WIB');
});

test('a message waiting for the network says so, as the last step', () => {
  const at = new Date(Date.UTC(2026, 10, 21, 2, 6));
  const detail = 'Jaringan belum menjawab pengiriman ini.';
  const entries = timelineEntries(
    {
      timeline: [step('accepted', 5), step('queued', 5), { kind: 'waiting', at, detail }],
      status: 'queued',
      failure: null,
      scheduled_at: null,
    },
    'Asia/Jakarta',
  );
  expect(titles(entries)).toEqual([
    'Diterima sistem',
    'Antre',
    'Menunggu jawaban jaringan',
    '(Terkirim)',
    '(Sampai di ponsel)',
  ]);
  expect(entries[2]).toMatchObject({ detail, tone: 'warning' });
});

test('a failure that was disproved stays in the timeline, with its correction', () => {
  const entries = timelineEntries(
    {
      timeline: [
        { kind: 'failed', at: new Date(0), detail: failures.no_answer },
        { kind: 'delivered', at: new Date(1), detail: null },
        { kind: 'corrected', at: new Date(2), detail: 'Status dan biayanya diperbaiki.' },
      ],
      status: 'delivered',
      failure: null,
      scheduled_at: null,
    },
    'Asia/Jakarta',
  );
  expect(titles(entries)).toEqual(['Gagal', 'Sampai di ponsel', 'Ternyata terkirim']);
});

test('each step shows the time since the one before, unless they were simultaneous', () => {
  const at = (ms: number) => new Date(Date.UTC(2026, 10, 21, 2, 5) + ms);
  const entries = timelineEntries(
    {
      timeline: [
        { kind: 'accepted', at: at(0), detail: null },
        { kind: 'queued', at: at(0), detail: null },
        { kind: 'sent', at: at(420), detail: null },
        { kind: 'delivered', at: at(1_620), detail: null },
        { kind: 'read', at: at(1_620 + 2 * 3_600_000 + 300_000), detail: null },
      ],
      status: 'read',
      failure: null,
      scheduled_at: null,
    },
    'Asia/Jakarta',
  );
  expect(entries.map(({ lapse }) => lapse)).toEqual([
    undefined,
    undefined,
    '0,4 detik setelah masuk antrean',
    '1,2 detik setelah terkirim',
    '2 jam 5 menit setelah sampai',
  ]);
});
