import type { InputFor } from '#contract/base/act.ts';
import { checkToken } from '#contract/accounts.ts';
import { assignInbox, saveCanned, sendInbox } from '#contract/operator/support.ts';
import { sendSupport } from '#contract/support.ts';
import { ask, type Customer, signUp } from '#tests/journeys/support/portal.ts';
import type { OperatorWork } from './desk.ts';
import type { Product } from '#tests/journeys/support/product.ts';

export type Threads = { shop: Customer; accountId: string };

type Line = Omit<InputFor<typeof sendSupport>, 'message_id'>;

const newLine = (line: Line): InputFor<typeof sendSupport> => ({
  message_id: crypto.randomUUID(),
  ...line,
});

const others = [
  [
    'Laundry Kilat',
    '6281355508002',
    'Token kami terputus sejak tadi malam, sudah dipindai ulang tetap sama.',
  ],
  ['Apotek Sehati', '6281355508003', 'Apakah paket Usaha bisa dibayar per tahun?'],
  ['Toko Kain Ratna', '6281355508004', 'Boleh minta faktur bulan lalu atas nama CV Ratna Jaya?'],
] as const;

export async function openThreads(
  { address }: Product,
  { operator, qris, bakery }: OperatorWork,
): Promise<Threads> {
  for (const [name, phone, text] of others) {
    const { session } = await signUp(address, { name, phone });
    await ask(address, sendSupport, newLine({ text }), session);
  }
  const { account_id: accountId } = await ask(address, checkToken, {}, bakery.session);
  const asks = (line: Line) => ask(address, sendSupport, newLine(line), bakery.session);
  const answers = (text: string, internal?: '1') =>
    ask(
      address,
      sendInbox,
      { ...newLine({ text }), account_id: accountId, ...(internal && { internal }) },
      operator,
    );
  await asks({
    text: 'Selamat pagi, isi saldo lewat QRIS ini sudah saya bayar, tetapi belum masuk.',
    about_type: 'topup',
    about_id: qris.id,
  });
  await answers(
    'Selamat pagi, terima kasih sudah menghubungi kami. Saya periksa dulu pembayarannya ya.',
  );
  await answers('Gerbang belum melaporkan pembayaran. Minta bukti dulu.', '1');
  await asks({ text: 'Baik, ditunggu. Bukti pembayarannya dari aplikasi bank, pukul 09.12.' });
  const user = await ask(address, checkToken, {}, operator);
  await ask(address, assignInbox, { account_id: accountId, operator_id: user.id }, operator);
  for (const [name, text] of [
    ['salam', 'Selamat pagi {nama}, terima kasih sudah menghubungi kami.'],
    [
      'pindai-ulang',
      'Buka halaman Nomor, pilih Sambungkan, lalu pindai QR dari WhatsApp di ponsel Anda.',
    ],
  ] as const) {
    await ask(address, saveCanned, { name, text }, operator);
  }
  return { shop: bakery, accountId };
}
