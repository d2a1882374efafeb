/**
 * Inbound messages without a type of their own (`other`), by kind, in words that people read. Programs read the
 * kind as `content.kind` (docs/api.md#other-messages).
 */
export const otherKinds = {
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
