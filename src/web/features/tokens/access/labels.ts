import { formatDate, wibMidnight } from '#contract/base/time.ts';
import type { Scope, Token } from '#contract/tokens.ts';

export const scopeLabel: Record<Scope, { title: string; means: string }> = {
  'messages.send': {
    title: 'Mengirim pesan',
    means: 'Mengirim dan membatalkan pesan dari nomor ini. Setiap pesan memakai saldo.',
  },
  'messages.read': {
    title: 'Membaca pesan',
    means: 'Membaca pesan keluar dan masuk nomor ini beserta statusnya.',
  },
  media: { title: 'Media', means: 'Mengunggah berkas dan mengunduh berkas yang masuk.' },
  'account.read': {
    title: 'Melihat akun dan saldo',
    means: 'Membaca keterangan akun, sisa saldo, dan mutasinya. Tidak dapat mengubahnya.',
  },
  link: {
    title: 'Menyambungkan ponsel',
    means: 'Membuat tautan untuk memindai QR, menyambungkan ponsel, dan memutusnya.',
  },
  webhooks: {
    title: 'Webhook dan peristiwa',
    means: 'Mengatur alamat webhook, melihat pengirimannya, dan membaca peristiwa.',
  },
  opt_outs: {
    title: 'Berhenti langganan',
    means: 'Membaca dan mengubah daftar nomor yang tidak mau menerima pesan.',
  },
  agent: {
    title: 'Mengirim lewat asisten (MCP)',
    means: 'Asisten AI boleh mengirim pesan sendiri. Tanpa izin ini asisten hanya dapat membaca.',
  },
};

/** The number of days before expiry from which a token is marked. */
const SOON_DAYS = 7;

/** The expiry state of a token. @param today `YYYY-MM-DD` in WIB */
export function expiryOf(
  { access: { expires_on: day } }: Token,
  today: string,
): 'none' | 'later' | 'soon' | 'over' {
  if (day === null) return 'none';
  if (day < today) return 'over';
  const left = wibMidnight(day).getTime() - wibMidnight(today).getTime();
  return left <= SOON_DAYS * 86_400_000 ? 'soon' : 'later';
}

/** `30 Nov 2026` */
export const showDay = (day: string): string => formatDate(wibMidnight(day));
