import { createTopup } from '#contract/saldo.ts';
import { readConversation } from '#contract/messages/conversations.ts';
import { createToken, linkToken } from '#contract/tokens.ts';
import {
  answerFrom,
  ask,
  type Customer,
  deliverText,
  newSender,
  type Sender,
  sendTexts,
  signUp,
  topUp,
} from '#tests/journeys/support/portal.ts';

export type Shop = {
  customer: Customer;
  sender: Sender;
  waiting: { id: string; scan: string };
  peer: string;
};

const orders: readonly (readonly [phone: string, text: string, answer?: string])[] = [
  [
    '6281298765401',
    'Halo Bu Sri, pesanan batik tulis motif parang (2 lembar) sudah kami terima. Total Rp 780.000.',
    'Sudah saya transfer ya Mbak, mohon dicek',
  ],
  [
    '6285712340002',
    'Selamat siang Pak Joko, kemeja lengan panjang ukuran L siap diambil di toko.',
    'Baik, saya ambil besok pagi',
  ],
  ['6281327650003', 'Halo Kak Dewi, paket Anda dikirim hari ini lewat JNE, resi JX4401928835.'],
  [
    '6282134560004',
    'Terima kasih Pak Bambang, pembayaran Rp 1.250.000 untuk seragam kantor sudah masuk.',
  ],
  [
    '6287812340005',
    'Halo Bu Ningsih, kain lurik pesanan Ibu tiba hari Kamis.',
    'Siap, terima kasih',
  ],
  ['62800000003', 'Halo Kak, stok selendang sutra warna marun sudah ada lagi.'],
  [
    '6281804560006',
    'Selamat sore Mas Agus, ukuran jas sudah kami catat. Fitting Sabtu pukul 10.00.',
  ],
  ['6285643210007', 'Halo Bu Lestari, ada potongan 15% untuk pelanggan lama sampai 30 November.'],
  ['62800000002', 'Kode pengambilan Anda 4471. Tunjukkan di kasir Batik Kenanga Malioboro.'],
  ['6281567890008', 'Pengingat: tagihan INV-1182 sebesar Rp 325.000 jatuh tempo besok.'],
  [
    '6281234509009',
    'Halo Mbak Rani, jahitan kebaya sudah selesai. Bisa diambil mulai pukul 09.00.',
  ],
];

const talk: readonly (readonly [from: 'us' | 'them', text: string])[] = [
  ['us', 'Pembayaran sudah kami terima, Bu. Batiknya kami kirim sore ini.'],
  ['them', 'Alhamdulillah, terima kasih banyak'],
  ['them', 'Kira-kira sampai Solo kapan ya?'],
  ['us', 'Biasanya dua hari, Bu. Resinya kami kirim lewat pesan ini.'],
  ['us', 'Resi: JX4401928810. Cek di https://www.jne.co.id'],
  ['them', 'Baik Mbak. Kalau cocok nanti saya pesan lagi untuk seragam keluarga, sekitar 12 orang'],
];

const reminders = () =>
  Array.from({ length: 46 }, (_, index) => ({
    to: `62813${String(55_010_001 + 7_919 * index)}`,
    text: `Batik Kenanga: pesanan nomor ${2_411 + index} sudah siap. Terima kasih sudah berbelanja.`,
  }));

export async function openShop(address: string): Promise<Shop> {
  // Test workers share a product: each has a shop of its own.
  const phone = `628122555778${process.env['VITEST_POOL_ID'] ?? 8}`;
  const customer = await signUp(address, { name: 'Batik Kenanga', phone });
  await topUp(address, customer, 500_000);
  await topUp(address, customer, 250_000);
  await ask(address, createTopup, { amount: 1_000_000 }, customer.session);
  const sender = await newSender(address, customer, { name: 'Kasir Malioboro', phone });
  const waiting = await tokenWithoutPhone(address, customer);
  await sendTexts(address, sender, reminders());
  for (const [to, text, answer] of orders) {
    if (answer === undefined) {
      await sendTexts(address, sender, [{ to, text }]);
    } else {
      await deliverText(address, sender, { to, text });
      await answerFrom(address, to, { sender, text: answer });
    }
  }
  const peer = '6281298765401';
  for (const [from, text] of talk) {
    if (from === 'us') await deliverText(address, sender, { to: peer, text });
    else await answerFrom(address, peer, { sender, text });
  }
  const read = { token_id: sender.id, peer: '6287812340005' };
  await ask(address, readConversation, read, customer.session);
  return { customer, sender, waiting, peer };
}

async function tokenWithoutPhone(address: string, { session }: Customer): Promise<Shop['waiting']> {
  const fields = { name: 'Cabang Kotagede', channel: 'simulator' } as const;
  const { token } = await ask(address, createToken, fields, session);
  const { path } = await ask(address, linkToken, { token_id: token.id }, session);
  return { id: token.id, scan: path };
}

const shops = new Map<string, Promise<Shop>>();

export const shopAt = (address: string): Promise<Shop> =>
  shops.getOrInsertComputed(address, openShop);
