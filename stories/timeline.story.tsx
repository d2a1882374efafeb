import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Timeline, type TimelineEntry } from '#web/ui/status/Timeline.tsx';

const arrived: readonly TimelineEntry[] = [
  { key: 'accepted', title: 'Diterima sistem', time: '21 Nov 2026, 09.05' },
  { key: 'queued', title: 'Antre', time: '21 Nov 2026, 09.05' },
  { key: 'sent', title: 'Terkirim', time: '21 Nov 2026, 09.06', tone: 'primary' },
  {
    key: 'delivered',
    title: 'Sampai',
    time: '21 Nov 2026, 09.06',
    at: new Date('2026-11-21T02:06:00Z'),
    tone: 'success',
  },
  { key: 'read', title: 'Dibaca', pending: true },
];
const failed: readonly TimelineEntry[] = [
  { key: 'accepted', title: 'Diterima sistem', time: '21 Nov 2026, 10.30' },
  {
    key: 'failed',
    title: 'Gagal',
    time: '21 Nov 2026, 10.31',
    tone: 'danger',
    detail: 'Nomor ini tidak terdaftar di jaringan. Periksa nomornya, lalu kirim ulang.',
  },
];

const Demo = () => (
  <>
    <Show title="What happened, and what is still to come">
      <Timeline entries={arrived} />
    </Show>
    <Show title="What went wrong, and what to do">
      <Timeline entries={failed} />
    </Show>
  </>
);

export const piece: Piece = {
  id: 'timeline',
  title: 'Timeline',
  about: 'What happened, in order of time: the way of a message, of a top-up.',
  props: [
    {
      name: 'entries',
      type: 'readonly TimelineEntry[]',
      about:
        'Each with a key and a title; time (formatted) and at, detail, tone, and pending for what has not happened yet.',
    },
  ],
  Demo,
};
