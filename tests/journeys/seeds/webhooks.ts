import { getWebhook, saveWebhook, listDeliveries, replayDelivery } from '#contract/webhooks.ts';
import type { Picture } from '#tests/journeys/support/api-pictures.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import {
  ask,
  askRows,
  newSender,
  sendTexts,
  signUp,
  topUp,
} from '#tests/journeys/support/portal.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { startTarget } from '#tests/support/webhooks/webhook-target.ts';

/** Recipients whose events fail or succeed; the simulator reads messages to all of them. */
const FAILS = '62800000001';
const texts = [
  { to: '6281298765401', text: 'Halo Bu Sri, pesanan roti gandum (2 loyang) sudah siap.' },
  {
    to: '6285712340002',
    text: 'Selamat siang Pak Joko, kue ulang tahun bisa diambil pukul 15.00.',
  },
];

/** The bakery's server: it refuses only events of one number. */
export async function openBakeryServer() {
  const target = await startTarget();
  target.answer(({ event }, response) => {
    if (event.data.peer !== FAILS) return 200;
    response.writeHead(503, { 'content-type': 'application/json' });
    response.end('{"error":"basis data sedang dicadangkan, coba lagi nanti"}');
    return undefined;
  });
  return target;
}

type Bakery = { session: string; tokenId: string; deliveryId: string; webhook: object };

/** A bakery whose server failed on one event, which was tried several times. */
export async function openWebhook(address: string, url: string): Promise<Bakery> {
  const who = await signUp(address, { name: 'Roti Menara', phone: '6281355503071' });
  await topUp(address, who, 100_000);
  const sender = await newSender(address, who, { name: 'Kasir Toko', phone: '62813555030719' });
  const { session } = who;
  const token_id = sender.id;
  await ask(address, saveWebhook, { token_id, url }, session);
  await sendTexts(address, sender, [...texts, { to: FAILS, text: 'Kode pengambilan Anda 4471.' }]);
  const failing = () =>
    askRows(address, listDeliveries, { token_id, state: 'waiting' }, session).then((rows) =>
      rows.findLast(({ tries }) => tries > 0),
    );
  const { id: deliveryId } = await waitFor(async () => (await failing()) ?? false);
  for (const tries of [2, 3]) {
    await ask(address, replayDelivery, { token_id, delivery_id: deliveryId }, session);
    await waitFor(async () => ((await failing())?.tries ?? 0) >= tries);
  }
  await sendTexts(address, sender, [
    { to: '6281327650003', text: 'Halo Kak Dewi, paket roti kering dikirim hari ini.' },
  ]);
  await waitFor(
    async () =>
      (await askRows(address, listDeliveries, { token_id, state: 'delivered' }, session)).length >=
      6,
  );
  const { webhook } = await ask(address, getWebhook, { token_id }, session);
  return { session, tokenId: token_id, deliveryId, webhook: webhook ?? {} };
}

export function webhookPictures({ session, tokenId, deliveryId, webhook }: Bakery): Picture[] {
  const path = `/token/webhook?token=${tokenId}`;
  // A local address would mean nothing in the picture.
  const url = 'https://rotimenara.example/kabari/webhook';
  const shown = { webhook_get: () => ({ webhook: { ...webhook, url } }) };
  const list: Picture['before'] = async (tab) => {
    await fakeActs(tab, shown);
    await tab.reload();
    await tab.getByText(url).waitFor();
    await tab.getByText('HTTP 503').first().waitFor();
  };
  const drawer: Picture['before'] = async (tab) => {
    await list(tab);
    await tab.getByText(/^Percobaan 3: HTTP 503/).waitFor();
  };
  const open = `${path}&open=${deliveryId}`;
  return [
    { name: 'webhook', options: { session, height: 1_240 }, path, before: list },
    { name: 'webhook-percobaan', options: { session, height: 1_000 }, path: open, before: drawer },
    {
      name: 'webhook-ponsel',
      options: { session, width: 390, height: 1_400 },
      path,
      before: list,
    },
  ];
}
