import { expect, test } from 'vitest';
import { failures } from '#contract/messages.ts';
import { timelineEntries } from './timeline.ts';

const step = (kind: 'accepted' | 'queued' | 'sent' | 'delivered' | 'failed', minute: number) => ({
  kind,
  at: new Date(Date.UTC(2026, 10, 21, 2, minute)),
  detail: null,
});
const titles = (entries: readonly { title: unknown; pending?: boolean }[]) =>
  entries.map(({ title, pending }) => (pending ? `(${String(title)})` : title));

test('a message on its way shows what happened and what is still to come', () => {
  const entries = timelineEntries(
    {
      timeline: [step('accepted', 5), step('queued', 5), step('sent', 6)],
      status: 'sent',
      failure: null,
    },
    'Asia/Jakarta',
  );
  expect(titles(entries)).toEqual(['Diterima sistem', 'Antre', 'Terkirim', '(Sampai di ponsel)']);
  expect(entries[2]?.time).toBe('21 Nov 2026, 09.06');
});

test('a failure says why, and promises nothing more', () => {
  const entries = timelineEntries(
    { timeline: [step('accepted', 5), step('failed', 7)], status: 'failed', failure: 'blocked' },
    'Asia/Jakarta',
  );
  expect(titles(entries)).toEqual(['Diterima sistem', 'Gagal']);
  expect(entries[1]?.detail).toBe(failures.blocked);
  expect(entries[1]?.tone).toBe('danger');
});

test('while the house tries again by itself, nobody is told to do so', () => {
  const [retrying, unknown] = timelineEntries(
    {
      timeline: [
        { kind: 'retrying', at: new Date(0), detail: failures.rate_limited },
        { kind: 'unknown', at: new Date(0), detail: failures.no_answer },
      ],
      status: 'sending',
      failure: null,
    },
    'Asia/Jakarta',
  );
  expect(retrying?.detail).toBe('Jaringan menolak karena terlalu cepat.');
  expect(unknown?.detail).not.toContain('Kirim ulang');
});
