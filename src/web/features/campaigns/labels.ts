import { formatNumber } from '#contract/base/money.ts';
import {
  type Campaign,
  type CampaignContent,
  type CampaignStatus,
  type PauseReason,
  type RecipientCounts,
  type RecipientState,
  recipientStateLabel,
} from '#contract/campaigns.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';

/** A campaign's current state in words; a running one may wait for its time, or pause. */
export function stateOf(campaign: Campaign, now: Date): { label: string; tone: Tone } {
  const { status, becoming, rests_until } = campaign;
  if (becoming === 'paused') return { label: 'Menjeda', tone: 'warning' };
  if (becoming === 'cancelled') return { label: 'Membatalkan', tone: 'warning' };
  if (scheduledAt(campaign, now)) return { label: 'Terjadwal', tone: 'info' };
  if (status === 'running' && rests_until !== null && rests_until > now)
    return { label: 'Menunggu besok', tone: 'warning' };
  return { label: statusLabel[status], tone: tones[status] };
}

/** The time that a started campaign waits for. */
export const scheduledAt = (
  { status, starts_at }: Pick<Campaign, 'status' | 'starts_at'>,
  now: Date,
): Date | undefined =>
  status === 'running' && starts_at !== null && starts_at > now ? starts_at : undefined;

/** When the first message could leave; undefined before that, and if the campaign ended before it. */
export function beginningOf(
  { started_at, starts_at, ended_at }: Pick<Campaign, 'started_at' | 'starts_at' | 'ended_at'>,
  now: Date,
): Date | undefined {
  if (started_at === null) return undefined;
  const at = starts_at !== null && starts_at > started_at ? starts_at : started_at;
  return at > (ended_at ?? now) ? undefined : at;
}

/** The content as it was written, with its variables. */
export function contentWords(content: CampaignContent): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'file':
      return [content.file.name, content.caption].filter(Boolean).join('\n');
    case 'location': {
      const { name, address, latitude, longitude } = content;
      return [name, address].filter(Boolean).join(', ') || `${latitude}, ${longitude}`;
    }
    case 'template':
      return [`Templat ${content.name}`, ...content.variables].join('\n');
  }
}

export const statusLabel: Record<CampaignStatus, string> = {
  draft: 'Draf',
  running: 'Berjalan',
  paused: 'Dijeda',
  cancelled: 'Dibatalkan',
  done: 'Selesai',
};

const tones: Record<CampaignStatus, Tone> = {
  draft: 'neutral',
  running: 'primary',
  paused: 'warning',
  cancelled: 'neutral',
  done: 'success',
};

export const pauseSentence: Record<PauseReason, string> = {
  wanted: 'Anda menjeda kiriman ini. Sisanya menunggu sampai Anda lanjutkan.',
  saldo_short: 'Saldo tidak cukup untuk penerima berikutnya. Isi saldo, lalu lanjutkan.',
  bonus_only:
    'Bonus selamat datang belum dapat dipakai untuk nomor ini. Isi saldo, lalu lanjutkan.',
  // Shown once the number is linked again.
  token_not_linked: 'Nomor ini sudah tersambung lagi. Lanjutkan kiriman ini.',
  account_suspended: 'Akun ini sedang ditangguhkan. Hubungi layanan pelanggan.',
  wallet_frozen: 'Saldo ini sedang dibekukan. Hubungi layanan pelanggan.',
  content_refused:
    'Templat atau berkasnya tidak dapat dikirim lagi. Periksa templatnya, atau buat kiriman baru.',
  restored:
    'Kabari dipulihkan dari cadangan. Periksa penerima mana yang sudah menerima sebelum melanjutkan.',
};

export const recipientTone: Record<RecipientState, Tone> = {
  waiting: 'neutral',
  placed: 'success',
  refused: 'danger',
  cancelled: 'neutral',
  invalid: 'danger',
  duplicate: 'warning',
  opted_out: 'warning',
  incomplete: 'warning',
};

/** A recipient's state in words; a draft has no waiting recipients yet. */
export const recipientWords = (state: RecipientState, { status }: Pick<Campaign, 'status'>) =>
  state === 'waiting' && status === 'draft' ? 'Akan dikirim' : recipientStateLabel[state];

/** `8,13556E+11`, as a spreadsheet writes a long number. */
const shortened = /^\d+(?:[.,]\d+)?E\+?\d+$/i;

export function invalidReason(written: string): string {
  if (written === '') return 'Kolom nomornya kosong.';
  if (shortened.test(written)) {
    return 'Dipersingkat oleh Excel. Jadikan kolom nomor teks, tulis ulang nomornya, lalu unggah lagi.';
  }
  return /\d/.test(written) ? 'Bukan nomor telepon yang lengkap.' : 'Bukan nomor telepon.';
}

/**
 * The number of excluded recipients by reason, in words; '' when there are none: `2 baris tidak dikirimi: 1 nomor
 * salah, 1 nomor ganda.`
 */
export function leftOutWords(counts: RecipientCounts): string {
  const left = leftOut.filter((state) => counts[state] > 0);
  if (left.length === 0) return '';
  const all = left.reduce((sum, state) => sum + counts[state], 0);
  const each = left.map(
    (state) => `${formatNumber(counts[state])} ${recipientStateLabel[state].toLowerCase()}`,
  );
  return `${formatNumber(all)} baris tidak dikirimi: ${each.join(', ')}.`;
}

const leftOut = ['invalid', 'incomplete', 'duplicate', 'opted_out'] as const;

/** Messages per minute: the requested pace, capped by the token's; undefined without a limit. */
export function paceOf({ pace, token_pace }: Pick<Campaign, 'pace' | 'token_pace'>) {
  const most = Math.min(pace ?? Infinity, token_pace ?? Infinity);
  return most === Infinity ? undefined : most;
}

/** Accepted recipients at a time in milliseconds. */
type Progress = { done: number; atMs: number };

/** A shorter time would measure only the burst with which a campaign begins. */
const MEASURED_MS_MIN = 10_000;

/** Recipients per minute between two times; undefined while that is too short, or nothing has moved. */
export function measuredPace(first: Progress, now: Progress): number | undefined {
  const [done, ms] = [now.done - first.done, now.atMs - first.atMs];
  return done > 0 && ms >= MEASURED_MS_MIN ? (done * 60_000) / ms : undefined;
}

/** In words: `kurang dari 1 menit`, `sekitar 42 menit`, `sekitar 3 jam 10 menit`. */
export function durationWords(messages: number, perMinute: number | undefined): string {
  if (perMinute === undefined) return 'secepat jaringannya menerima';
  const minutes = Math.ceil(messages / Math.max(1, perMinute));
  if (minutes <= 1) return 'kurang dari 1 menit';
  if (minutes < 60) return `sekitar ${minutes} menit`;
  const hours = Math.floor(minutes / 60);
  const rest = hours < 10 ? Math.round((minutes % 60) / 10) * 10 : 0;
  if (hours >= 48) return `sekitar ${Math.round(hours / 24)} hari`;
  return rest > 0 && rest < 60
    ? `sekitar ${formatNumber(hours)} jam ${rest} menit`
    : `sekitar ${formatNumber(rest === 60 ? hours + 1 : hours)} jam`;
}

/** Normalizes a pasted list: rows of numbers only become one number per line. */
export const listFromPasted = (pasted: string): string =>
  pasted
    .split(/\r\n|\r|\n/)
    .flatMap((line) => {
      const cells = line.split(/[,;\t|]/).map((cell) => cell.trim());
      const isNumbersAlone =
        cells.length > 1 && cells.every((cell) => /^\+?[\d\s().-]{8,20}$/.test(cell));
      return isNumbersAlone ? cells : [line];
    })
    .join('\n');
