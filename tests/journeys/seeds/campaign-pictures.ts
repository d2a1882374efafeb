import {
  type Campaign,
  createCampaign,
  startCampaign,
  updateCampaign,
} from '#contract/campaigns.ts';
import type { Picture } from '#tests/journeys/support/api-pictures.ts';
import type { Shop } from '#tests/journeys/seeds/shop.ts';
import { ask, type Customer, type Sender, uploadAs } from '#tests/journeys/support/portal.ts';

const names = ['Bu Sri', 'Pak Joko', 'Mbak Ratih', 'Mas Bagus', 'Bu Endang', 'Pak Hendra'];

/** Customers of a batik shop; two rows are unsendable. */
const listOf = (count: number): string =>
  [
    'nomor,nama,pesanan',
    ...Array.from(
      { length: count },
      (_, n) => `0812${String(60_000_000 + n * 7)},${names[n % names.length]},KNG-${1_200 + n}`,
    ),
    `081260000000,Bu Sri,KNG-1200`,
    'belum punya,Mas Wawan,KNG-1999',
  ].join('\n');

async function draftOf(
  address: string,
  { session }: Customer,
  { sender, name, count }: { sender: Sender; name: string; count: number },
): Promise<Campaign> {
  const upload = await uploadAs(address, session, {
    purpose: 'recipients',
    name: 'pelanggan.csv',
    type: 'text/csv',
    bytes: Buffer.from(listOf(count)),
  });
  const draft = await ask(address, createCampaign, { name, token_id: sender.id, upload }, session);
  const content = {
    type: 'text' as const,
    text: 'Halo {nama}, pesanan {pesanan} sudah selesai dan siap diambil di toko sampai pukul 20.00. Terima kasih.',
  };
  return ask(address, updateCampaign, { campaign_id: draft.id, content }, session);
}

export async function campaignPictures(
  address: string,
  { customer, sender }: Pick<Shop, 'customer' | 'sender'>,
): Promise<Picture[]> {
  const { session } = customer;
  const draft = await draftOf(address, customer, {
    sender,
    name: 'Pesanan siap, akhir November',
    count: 48,
  });
  const sent = await draftOf(address, customer, {
    sender,
    name: 'Pesanan siap, pekan lalu',
    count: 30,
  });
  await ask(address, startCampaign, { campaign_id: sent.id }, session);
  const path = `/message-history/kiriman?open=${draft.id}`;
  return [
    {
      name: 'kiriman-draf',
      options: { session, height: 1_180 },
      path,
      before: (tab) => tab.getByRole('article').first().waitFor(),
    },
    {
      name: 'kiriman-ponsel',
      options: { session, width: 390, dark: true, height: 1_100 },
      path: `/message-history/kiriman?open=${sent.id}`,
      before: async (tab) => {
        await tab.getByText('Selesai').first().waitFor();
        await tab.getByRole('cell').first().waitFor();
      },
    },
  ];
}
