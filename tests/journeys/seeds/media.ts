import sharp from 'sharp';
import { simulatedSample, type PhoneSample } from '#contract/simulator.ts';
import { type FileHost, fileHost } from '#tests/support/media/file-host.ts';
import {
  ask,
  answerFrom,
  deliverText,
  newSender,
  type Sender,
  sendMessages,
  signUp,
  topUp,
} from '#tests/journeys/support/portal.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const cake = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="900">
  <defs><linearGradient id="g" x2="0" y2="1"><stop stop-color="#f7ead7"/><stop offset="1" stop-color="#dcbf98"/></linearGradient></defs>
  <rect width="1200" height="900" fill="url(#g)"/><ellipse cx="600" cy="720" rx="430" ry="86" fill="#fffdf8"/>
  <ellipse cx="600" cy="708" rx="330" ry="56" fill="#eadcc6"/>
  ${[
    '#7b3f2c',
    '#e8b574',
    '#43815b',
    '#f3e0b5',
    '#c25a41',
    '#e8b574',
    '#43815b',
    '#f3e0b5',
    '#7b3f2c',
  ]
    .map((fill, n) => `<rect x="340" y="${650 - n * 48}" width="520" height="49" fill="${fill}"/>`)
    .join('')}
</svg>`;

/** An external host with a photograph; named in `MEDIA_LISTED`. */
export const openPhotoHost = async (): Promise<FileHost & { close: () => void }> => {
  const photo = await sharp(Buffer.from(cake)).jpeg({ quality: 80 }).toBuffer();
  return fileHost((request, response) => {
    if (request.url?.startsWith('/lapis.jpg'))
      response.writeHead(200, { 'content-type': 'image/jpeg' }).end(photo);
    else response.writeHead(404).end();
  });
};

export type MediaThread = { session: string; sender: Sender; peer: string; path: string };

const samples: readonly PhoneSample[] = [
  'picture',
  'audio',
  'video',
  'document',
  'sticker',
  'location',
  'contact',
];

/** Sends each type in both directions, and waits until the thread contains all. */
export async function openMediaThread(
  address: string,
  photo: { origin: string },
  { phone, peer }: { phone: string; peer: string },
): Promise<MediaThread> {
  const who = await signUp(address, { name: 'Toko Kue Lapis', phone });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Kasir', phone });
  const thread = () => messagesOf(address, sender, peer);
  const count = (n: number) =>
    waitFor(async () => {
      const all = await thread();
      return (
        all.length >= n && all.every(({ status }) => status === 'read' || status === 'received')
      );
    });
  await deliverText(address, sender, { to: peer, text: 'Selamat pagi Bu Ani, ini kue hari ini.' });
  await sendTemplate(address, sender, peer);
  await sendMessages(address, sender, [
    { to: peer, type: 'image', image: { link: `${photo.origin}/lapis.jpg` }, caption: 'Kue lapis' },
    {
      to: peer,
      type: 'location',
      location: {
        latitude: -6.2,
        longitude: 106.8,
        name: 'Toko Kue Lapis',
        address: 'Jl. Melati 4',
      },
    },
    { to: peer, type: 'contact', contact: { name: 'Pak Kurir', phone: '0812-3456-7899' } },
  ]);
  await count(5);
  await answerFrom(address, peer, { sender, text: 'Wah, saya pesan dua ya.' });
  for (const [index, what] of samples.entries()) {
    await ask(address, simulatedSample, { phone: peer, to: sender.phone, what });
    await count(7 + index);
  }
  const last = (await thread()).find(
    ({ direction, type }) => direction === 'in' && type === 'text',
  );
  if (!last) throw new Error('no answer');
  await sendMessages(address, sender, [
    { to: peer, type: 'text', text: { body: 'Siap, dua loyang.' }, reply_to: last.id },
    { to: peer, type: 'reaction', reaction: { message_id: last.id, emoji: '❤️' } },
  ]);
  await count(14);
  const path = `/message-history?view=percakapan&open=${sender.id}&peer=${peer}`;
  return { session: who.session, sender, peer, path };
}

type Stored = { id: string; direction: string; type: string; status: string };

async function messagesOf(address: string, { key }: Sender, peer: string): Promise<Stored[]> {
  const response = await fetch(`${address}/v1/messages?limit=100&peer=${peer}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return ((await response.json()) as { data: Stored[] }).data;
}

async function sendTemplate(address: string, sender: Sender, to: string): Promise<void> {
  const template = {
    name: 'pesanan_siap',
    language: 'id',
    category: 'utility',
    header: 'Pesanan siap',
    body: 'Halo {{1}}, pesanan {{2}} siap diambil.',
    footer: 'Toko Kue Lapis',
    buttons: ['Ambil sendiri', 'Antar'],
  };
  const response = await fetch(`${address}/v1/templates`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sender.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(template),
  });
  if (!response.ok) throw new Error(`/v1/templates: ${await response.text()}`);
  await sendMessages(address, sender, [
    {
      to,
      type: 'template',
      template: { name: template.name, language: 'id', variables: ['Bu Ani', '1042'] },
    },
  ]);
}
