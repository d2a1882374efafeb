import type { Page } from 'playwright-core';
import { createToken } from '#contract/tokens.ts';
import { type CloudConnection, connectCloud, getConnection } from '#contract/channels.ts';
import { conversationMessages } from '#contract/messages/conversations.ts';
import { sendMessage } from '#contract/messages.ts';
import type { FakeMeta } from '#tests/support/meta/fake-meta.ts';
import type { Picture } from '#tests/journeys/support/api-pictures.ts';
import {
  ask,
  askRows,
  type Customer,
  signIn,
  signUp,
  topUp,
} from '#tests/journeys/support/portal.ts';
import type { Product } from '#tests/journeys/support/product.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { waitFor } from '#tests/support/wait-for.ts';

export const cloudNumbers = [
  { verifiedName: 'Batik Kenanga', phone: '6281227001180' },
  { verifiedName: 'Batik Kenanga Sanggar', phone: '6281227001181' },
];

export type CloudShop = {
  customer: Customer;
  operator: string;
  /** A working number, one restricted for its quality, and one without Meta's callbacks yet. */
  shop: { id: string; peer: string };
  workshop: { id: string; cloud: CloudConnection };
};

const PEER = '6281390407712';
/** A number that Meta's fake cannot reach: it is not on WhatsApp. */
const UNREACHED = '628139131026';

/** Creates a shop with two of the fake's numbers, one of which has received messages. */
export async function openCloudShop(
  { address, operator: first }: Product,
  meta: FakeMeta,
): Promise<CloudShop> {
  const customer = await signUp(address, { name: 'Batik Kenanga', phone: '6281355503091' });
  await topUp(address, customer, 250_000);
  const make = async (name: string, number: number) => {
    const { token } = await ask(address, createToken, { name, channel: 'cloud' }, customer.session);
    const access = {
      token_id: token.id,
      phone_number_id: meta.numbers[number]?.id ?? '',
      waba_id: meta.wabaId,
      access_token: meta.token,
      app_secret: meta.appSecret,
    };
    return ask(address, connectCloud, access, customer.session);
  };
  const workshop = await make('Sanggar', 1);
  const { token: shop, cloud } = await make('Toko', 0);
  await callBack(address, meta, cloud);
  const write = (from: string, body: string, name: string) =>
    meta.control.receiveFrom(from, { type: 'text', content: { body }, name });
  write(PEER, 'Selamat pagi, kemeja parang ukuran L masih ada?', 'Sri Wahyuni');
  write(UNREACHED, 'Halo', 'Bagas');
  const thread = (peer: string) =>
    askRows(
      address,
      conversationMessages,
      { token_id: shop.id, peer: `+${peer}` },
      customer.session,
    );
  const send = (to: string, text: string) =>
    ask(address, sendMessage, { token_id: shop.id, to: `+${to}`, text }, customer.session);
  await waitFor(async () => (await thread(PEER)).length + (await thread(UNREACHED)).length === 2);
  await send(PEER, 'Selamat pagi Bu Sri, masih ada dua. Mau kami sisihkan satu?');
  await send(UNREACHED, 'Selamat pagi, ada yang bisa kami bantu?');
  await waitFor(async () => (await thread(PEER))[0]?.status === 'read');
  await waitFor(async () => (await thread(UNREACHED))[0]?.status === 'failed');
  meta.control.phoneQuality('DOWNGRADE');
  const connection = () => ask(address, getConnection, { token_id: shop.id }, customer.session);
  await waitFor(async () => (await connection())?.restriction !== null);
  const operator = await signIn(address, first);
  const callback_url = `https://pesan.batikkenanga.id${new URL(workshop.cloud.callback_url).pathname}`;
  return {
    customer,
    operator,
    shop: { id: shop.id, peer: PEER },
    workshop: { id: workshop.token.id, cloud: { ...workshop.cloud, callback_url } },
  };
}

async function callBack(address: string, meta: FakeMeta, cloud: CloudConnection): Promise<void> {
  const path = new URL(cloud.callback_url).pathname;
  const { isConfirmed } = await meta.control.subscribe(address + path, cloud.verify_token);
  if (!isConfirmed) throw new Error('the address of callbacks was not confirmed');
}

const selectChannel = async (tab: Page, name: string): Promise<void> => {
  await tab.getByRole('dialog').getByLabel('Nama').fill('Notifikasi Pesanan');
  await tab.getByRole('radio', { name }).check();
};

/** Channels, a number's state, its 24 hours, and the operator's view of all numbers. */
export const cloudPictures = ({
  customer: { session },
  operator,
  shop,
  workshop: { id: workshopId, cloud },
}: CloudShop): readonly Picture[] => [
  {
    name: 'kanal-token',
    options: { session, height: 1_040 },
    path: '/token?view=new',
    before: (tab) => selectChannel(tab, 'WhatsApp Cloud API'),
  },
  {
    name: 'sambungan-cloud',
    options: { session, height: 1_200 },
    path: `/token?open=${workshopId}`,
    before: async (tab) => {
      // The product in a picture has no public address.
      await fakeActs(tab, { token_cloud_get: () => cloud });
      await tab.reload();
      await tab.getByText('Meta belum memeriksa', { exact: false }).waitFor();
    },
  },
  {
    name: 'sambungan-cloud-ponsel',
    options: { session, width: 390, dark: true, height: 1_080 },
    path: `/token?open=${shop.id}`,
    before: (tab) => tab.getByText('Nama terverifikasi').waitFor(),
  },
  {
    name: 'jendela-ponsel',
    options: { session, width: 390 },
    path: `/message-history?view=percakapan&open=${shop.id}&peer=${shop.peer}`,
    before: (tab) => tab.getByText(/^Jendela 24 jam berakhir/).waitFor(),
  },
  {
    name: 'operator-kanal',
    options: { session: operator, height: 1_000 },
    path: '/operator/kanal',
    before: (tab) => tab.getByRole('list', { name: 'Jawaban jaringan' }).waitFor(),
  },
];
