import { formatDate, formatDateTime, formatTime } from '#contract/base/time.ts';
import {
  type AttemptError,
  type DeliveryState,
  WEBHOOK_LIMITS,
  type Webhook,
  type WebhookFormat,
  type WebhookOffReason,
} from '#contract/webhooks.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';

export const formatLabel: Record<WebhookFormat, string> = {
  kabari: 'Kabari (Standard Webhooks)',
  cloud: 'WhatsApp Cloud API',
  fonnte: 'Fonnte',
  wablas: 'Wablas',
};

const DAY_MS = 86_400_000;

const offBecause: Record<WebhookOffReason, { tone: Tone; words: string }> = {
  unconfirmed: { tone: 'warning', words: 'Mati: alamatnya belum menjawab uji coba' },
  owner: { tone: 'neutral', words: 'Mati: dimatikan dari akun ini' },
  gone: { tone: 'danger', words: 'Mati: alamatnya menjawab 410' },
  failing: {
    tone: 'danger',
    words: `Mati: gagal terus selama ${WEBHOOK_LIMITS.failingDays} hari`,
  },
};

type WebhookStatus = Pick<Webhook, 'state' | 'off_reason' | 'failing_since'>;

/** The state of a token's webhook in one line. @param zone the reader's time zone. */
export function webhookStatus(
  webhook: WebhookStatus | null,
  zone: string,
): { tone: Tone; words: string } {
  if (!webhook) return { tone: 'neutral', words: 'Belum dipasang' };
  if (webhook.state === 'off') return offBecause[webhook.off_reason ?? 'owner'];
  const since = webhook.failing_since;
  return since
    ? { tone: 'warning', words: `Gagal sejak ${formatDateTime(since, zone)}` }
    : { tone: 'success', words: 'Aktif' };
}

/** The same in a word, where a notice gives the details. */
export const webhookStatusWord = ({ state, failing_since }: WebhookStatus): string =>
  state === 'off' ? 'Mati' : failing_since ? 'Gagal' : 'Aktif';

/** When a webhook that has failed since then is switched off, unless a delivery succeeds. */
export const switchedOffAt = (failingSince: Date): Date =>
  new Date(failingSince.getTime() + WEBHOOK_LIMITS.failingDays * DAY_MS);

/** `09.05.07`: attempts follow each other within seconds. */
export const formatSecond = (at: Date, zone: string): string =>
  `${formatTime(at, zone)}.${String(at.getUTCSeconds()).padStart(2, '0')}`;

/** `21 Nov 2026, 09.05.07` */
export const formatDaySecond = (at: Date, zone: string): string =>
  `${formatDate(at, zone)}, ${formatSecond(at, zone)}`;

export const deliveryTone: Record<DeliveryState, Tone> = {
  waiting: 'info',
  delivered: 'success',
  parked: 'danger',
  skipped: 'neutral',
};

const errorWords: Record<AttemptError, string> = {
  refused: 'Alamat tidak boleh dihubungi',
  late: `Tidak dijawab dalam ${WEBHOOK_LIMITS.timeoutSeconds} detik`,
  unreachable: 'Tidak dapat dihubungi',
  ours: 'Gangguan di Kabari, bukan di server Anda',
};

type Answer = { status: number | null; error: AttemptError | null };

/** The response to an attempt; '' before the first one. */
export const answerWords = ({ status, error }: Answer): string =>
  status === null ? (error ? errorWords[error] : '') : `HTTP ${status}`;

/** Advice about a response; undefined for a good one. */
export function adviceFor({ status, error }: Answer): string | undefined {
  if (error === 'late') return 'Jawab 2xx lebih dahulu, baru kerjakan isinya.';
  if (error === 'refused') return 'Pakai alamat https umum, bukan alamat jaringan lokal.';
  if (error === 'ours') return 'Dicoba lagi otomatis. Bila berulang, hubungi layanan pelanggan.';
  if (error === 'unreachable')
    return 'Periksa apakah server berjalan, juga sertifikat dan firewall-nya.';
  if (status === null || (status >= 200 && status < 300)) return undefined;
  if (status >= 300 && status < 400) return 'Pengalihan tidak diikuti. Isi alamat akhirnya.';
  if (status === 401 || status === 403) {
    return 'Server menolak. Periksa kunci yang dipakai untuk tanda tangan.';
  }
  if (status === 404)
    return 'Alamat itu tidak ada di server. Periksa bagian setelah nama domainnya.';
  if (status === 410) return 'Balasan 410 menghentikan webhook: pakai hanya bila memang selesai.';
  if (status === 429) return 'Server kewalahan. Kabari menunggu lebih lama sebelum mencoba lagi.';
  return status >= 500 ? 'Server gagal mengolahnya. Lihat catatannya pada jam itu.' : undefined;
}

/** Why nothing can be sent again. */
export const offReason = 'Webhook sedang mati. Nyalakan dahulu untuk mengirim ulang.';
