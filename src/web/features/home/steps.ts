import type { HomeSummary, MessageRow } from '#contract/messages.ts';
import { hrefOf } from '#web/browser/router/navigation.ts';
import type { StepKey } from '#web/features/home/figures.ts';

export type StepFacts = {
  title: string;
  href: string;
};

type Facts = Pick<HomeSummary, 'attention' | 'channel'>;

/** The token that waits for its number. */
export const waitingIn = ({ attention }: Pick<HomeSummary, 'attention'>): Token | undefined =>
  attention.find(({ reason }) => reason === 'not_linked');

export const stepsOf = (home: Facts): Record<StepKey, StepFacts> => {
  const waiting = waitingIn(home);
  return {
    linked: {
      title: 'Sambungkan nomor',
      href: hrefOf({
        to: '/token',
        search: waiting ? { open: waiting.token_id, view: 'link' } : {},
      }),
    },
    sent: {
      title: 'Kirim pesan pertama',
      href: hrefOf({ to: '/message-history', search: { new: '1' } }),
    },
    topped_up: { title: 'Isi saldo', href: hrefOf({ to: '/saldo', search: { new: '1' } }) },
  };
};

export const lastSentIn = ({ newest }: Pick<HomeSummary, 'newest'>): MessageRow | undefined =>
  newest.find(({ direction }) => direction === 'out');

export const isOnItsWay = ({ status }: Pick<MessageRow, 'status'>): boolean =>
  status === 'accepted' || status === 'queued' || status === 'sending';

export const connectWords = (home: Facts): string =>
  isByMeta(home)
    ? 'Buka token Anda dan isi formulir WhatsApp Cloud API dengan akses dari Meta: Phone number ID, WhatsApp Business Account ID, access token, dan app secret.'
    : 'Sambungkan nomor di ponsel Anda: pindai QR-nya sekali saja.';

/** Whether its number is connected with access from Meta, not with a QR. */
const isByMeta = (home: Facts): boolean => (waitingIn(home)?.channel ?? home.channel) === 'cloud';

type Token = HomeSummary['attention'][number];

const reasons: Record<Token['reason'], string> = {
  under_review: 'Perlu diperiksa: pastikan nomor ini memang milik usaha Anda.',
  not_linked: 'Belum tersambung ke ponsel. Pindai QR-nya.',
  disconnected: 'Terputus dari ponselnya. Pindai QR lagi.',
  suspended: 'Ditangguhkan. Hubungi layanan pelanggan.',
  expired:
    'Masa berlakunya habis: semua permintaan API-nya ditolak. Perpanjang bila masih dipakai.',
  expires_soon: 'Masa berlakunya habis dalam 7 hari. Perpanjang bila masih dipakai.',
  limit_near: 'Hampir mencapai batas harian. Naikkan batasnya bila perlu.',
  webhook_unconfirmed: 'Webhook belum aktif: alamatnya belum menjawab uji coba. Buka webhook.',
  webhook_gone: 'Webhook dimatikan: alamatnya menjawab 410 (tidak dipakai lagi). Buka webhook.',
  webhook_failing: 'Webhook dimatikan: tiga hari pengirimannya gagal semua. Buka webhook.',
  webhook_erring: 'Pengiriman webhook terus gagal. Periksa server penerimanya. Buka webhook.',
};

/** A number at Meta has no QR. */
const reasonsByMeta: Partial<typeof reasons> = {
  not_linked: 'Belum tersambung ke Meta. Isi akses nomornya.',
  disconnected: 'Terputus dari Meta. Masukkan access token yang baru.',
};

export const reasonWords = ({ reason, channel }: Pick<Token, 'reason' | 'channel'>): string =>
  (channel === 'cloud' ? reasonsByMeta[reason] : undefined) ?? reasons[reason];
