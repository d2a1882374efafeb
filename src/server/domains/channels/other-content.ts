import type { Inbound, MessageBody } from './channels.ts';

/**
 * Inbound messages without a type of their own (`other`), by kind, in words that people read. Programs read the
 * kind as `content.kind` (docs/api.md#other-messages).
 */
const otherKinds = {
  album: 'Album',
  call: 'Panggilan',
  call_permission: 'Jawaban atas permintaan izin menelepon',
  edited: 'Pesan diubah',
  event: 'Acara',
  form: 'Formulir',
  group_invite: 'Undangan grup',
  interactive: 'Pesan interaktif',
  invoice: 'Tagihan',
  order: 'Pesanan',
  payment: 'Pembayaran',
  payment_request: 'Permintaan pembayaran',
  pinned: 'Pesan disematkan',
  poll: 'Polling',
  poll_vote: 'Suara polling',
  product: 'Produk',
  request_welcome: 'Membuka percakapan untuk pertama kali',
  revoked: 'Pesan dihapus',
  system: 'Pemberitahuan WhatsApp',
  unsupported: 'Jenis pesan ini belum dapat ditampilkan di sini; lihat di ponsel',
  view_once: 'Foto, video, atau pesan suara sekali lihat; hanya dapat dibuka di ponsel',
  waiting: 'Menunggu pesan ini; periksa ponsel Anda',
} as const;
export type OtherKind = keyof typeof otherKinds;

/** The content of a message of such a kind: its line, and what is known of it. */
export const otherContent = (
  kind: OtherKind,
  details?: string | null,
): Pick<Inbound, 'type' | 'body'> => ({
  type: 'other',
  body: { kind, text: details ? `${otherKinds[kind]}: ${details}` : otherKinds[kind] },
});

/** A place as its sender says it; a line of its own where that is nowhere on a map. */
export function placeContent(place: MessageBody): Pick<Inbound, 'type' | 'body'> {
  const { latitude, longitude, name } = place;
  return isWithin(latitude, 90) && isWithin(longitude, 180)
    ? { type: 'location', body: place }
    : otherContent('unsupported', typeof name === 'string' ? name : undefined);
}

const isWithin = (degrees: unknown, most: number): boolean =>
  typeof degrees === 'number' && Math.abs(degrees) <= most;
