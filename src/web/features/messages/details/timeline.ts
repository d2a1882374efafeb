import { type MessageDetail, type MessageStatus, type TimelineStep } from '#contract/messages.ts';
import { failures } from '#contract/messages/failures.ts';
import { formatDateTime, formatDateTimeZone, formatLapse } from '#contract/base/time.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';
import type { TimelineEntry } from '#web/ui/status/Timeline.tsx';

type Kind = TimelineStep['kind'];

const titles: Record<Kind, string> = {
  accepted: 'Diterima sistem',
  scheduled: 'Terjadwal',
  queued: 'Antre',
  sending: 'Mengirim ke jaringan',
  sent: 'Terkirim',
  delivered: 'Sampai di ponsel',
  read: 'Dibaca',
  failed: 'Gagal',
  cancelled: 'Dibatalkan',
  expired: 'Kedaluwarsa',
  received: 'Diterima dari pengirim',
  retrying: 'Akan dicoba lagi',
  unknown: 'Hasil pengiriman belum pasti',
  waiting: 'Menunggu jawaban jaringan',
  corrected: 'Ternyata terkirim',
  edited: 'Diubah pengirim',
  revoked: 'Dihapus pengirim',
};

const tones: Partial<Record<Kind, Tone>> = {
  accepted: 'primary',
  scheduled: 'primary',
  queued: 'primary',
  sending: 'primary',
  sent: 'primary',
  delivered: 'success',
  read: 'info',
  received: 'primary',
  failed: 'danger',
  expired: 'warning',
  retrying: 'warning',
  unknown: 'warning',
  waiting: 'warning',
  corrected: 'success',
  revoked: 'warning',
};

function detailOf({ kind, detail }: TimelineStep, lived: Lived, zone: string): string | null {
  const { failure, status, scheduled_at } = lived;
  if (kind === 'scheduled' && status === 'scheduled' && scheduled_at)
    return `Akan dikirim ${formatDateTimeZone(scheduled_at, zone)}`;
  if (kind === 'failed') return detail ?? (failure && failures[failure]);
  if (kind === 'edited' || kind === 'revoked') return detail && `Sebelumnya: ${detail}`;
  if (kind === 'unknown') return 'Jaringan belum menjawab. Kami menunggu laporannya lebih dulu.';
  return detail;
}

const since: Record<Kind, string> = {
  accepted: 'diterima sistem',
  scheduled: 'dijadwalkan',
  queued: 'masuk antrean',
  sending: 'mulai dikirim',
  sent: 'terkirim',
  delivered: 'sampai',
  read: 'dibaca',
  failed: 'gagal',
  cancelled: 'dibatalkan',
  expired: 'kedaluwarsa',
  received: 'diterima',
  retrying: 'percobaan sebelumnya',
  unknown: 'dikirim tanpa jawaban',
  waiting: 'mulai menunggu',
  corrected: 'diperbaiki',
  edited: 'diubah',
  revoked: 'dihapus',
};

/** Two steps closer than this are shown as simultaneous. */
const MOMENT_MS = 50;

function lapseOf(step: TimelineStep, before: TimelineStep | undefined): string | undefined {
  if (!before) return undefined;
  const took = step.at.getTime() - before.at.getTime();
  return took < MOMENT_MS ? undefined : `${formatLapse(took)} setelah ${since[before.kind]}`;
}

const ahead: Partial<Record<MessageStatus, readonly Kind[]>> = {
  scheduled: ['queued', 'sent', 'delivered'],
  accepted: ['queued', 'sent', 'delivered'],
  queued: ['sent', 'delivered'],
  sending: ['sent', 'delivered'],
  sent: ['delivered'],
};

type Lived = Pick<MessageDetail, 'timeline' | 'status' | 'failure' | 'scheduled_at'>;

/** The timeline of a message: past steps, oldest first, then future ones. */
export function timelineEntries(lived: Lived, zone: string): TimelineEntry[] {
  const { timeline, status } = lived;
  const happened = timeline.map((step, index): TimelineEntry => {
    const { kind, at } = step;
    const more = detailOf(step, lived, zone);
    const lapse = lapseOf(step, timeline[index - 1]);
    return {
      key: `${index} ${kind}`,
      title: titles[kind],
      time: formatDateTime(at, zone),
      at,
      tone: tones[kind] ?? 'neutral',
      ...(lapse !== undefined && { lapse }),
      ...(more !== null && { detail: more }),
    };
  });
  const present = new Set<Kind>(timeline.map(({ kind }) => kind));
  const coming = (ahead[status] ?? []).filter((kind) => !present.has(kind));
  return [
    ...happened,
    ...coming.map((kind): TimelineEntry => ({ key: kind, title: titles[kind], pending: true })),
  ];
}
