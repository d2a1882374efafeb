import { GraphApiError, type WhatsAppClient } from '@kapso/whatsapp-cloud-api';
import {
  ActionButtons,
  ActionCTA,
  ActionList,
  Audio,
  Body,
  BodyComponent,
  BodyParameter,
  Button,
  Contacts,
  Document,
  Email,
  Footer,
  Header,
  Image,
  Interactive,
  ListSection,
  Location,
  Name,
  Organization,
  Phone,
  Reaction,
  Row,
  Sticker,
  Template,
  Text,
  Video,
} from 'whatsapp-api-js/messages';
import { expect } from 'vitest';
import { type CloudApp, test } from './support/dialects/cloud-app.ts';
import { apiJs, chatAdapter, greatDetail, kapso, to } from './support/dialects/cloud-clients.ts';

const link = 'https://contoh.id/a.png';

type Sent = { messages?: readonly { id: string }[] };
const storedOf = async (cloud: CloudApp, sending: Promise<unknown>) =>
  cloud.stored(((await sending) as Sent).messages?.[0]?.id);

test('@kapso/whatsapp-cloud-api sends every type', async ({ cloud }) => {
  const { messages } = kapso(cloud);
  const base = { phoneNumberId: cloud.numberId, to };
  const sent = (sending: Promise<unknown>) => storedOf(cloud, sending);
  const first = await messages.sendText({ ...base, body: 'Halo', bizOpaqueCallbackData: 'A-17' });
  const wamid = first.messages[0]?.id ?? '';
  expect(await cloud.stored(wamid)).toMatchObject({ type: 'text', content: { text: 'Halo' } });
  expect(
    await sent(messages.sendText({ ...base, body: 'Ya', contextMessageId: wamid })),
  ).toMatchObject({ content: { text: 'Ya', quoted: { text: 'Halo' } } });
  expect(
    await sent(messages.sendImage({ ...base, image: { link, caption: 'Foto' } })),
  ).toMatchObject({ type: 'image', content: { link, caption: 'Foto' } });
  expect(await sent(messages.sendVideo({ ...base, video: { link } }))).toMatchObject({
    type: 'video',
  });
  expect(await sent(messages.sendAudio({ ...base, audio: { link } }))).toMatchObject({
    type: 'audio',
  });
  expect(await sent(messages.sendSticker({ ...base, sticker: { link } }))).toMatchObject({
    type: 'sticker',
  });
  expect(
    await sent(messages.sendDocument({ ...base, document: { link, filename: 'a.pdf' } })),
  ).toMatchObject({ type: 'document', content: { filename: 'a.pdf' } });
  expect(
    await sent(messages.sendLocation({ ...base, location: { latitude: -6.2, longitude: 106.8 } })),
  ).toMatchObject({ content: { latitude: -6.2, longitude: 106.8 } });
  const contacts = [
    { name: { formattedName: 'Ani', firstName: 'Ani' }, phones: [{ phone: '+62812 1111 2222' }] },
  ];
  expect(await sent(messages.sendContacts({ ...base, contacts }))).toMatchObject({
    type: 'contact',
    content: { name: 'Ani', phone: '6281211112222' },
  });
  expect(
    await sent(
      messages.sendInteractiveButtons({
        ...base,
        bodyText: 'Jadi?',
        buttons: [{ id: 'ya', title: 'Ya' }],
      }),
    ),
  ).toMatchObject({ type: 'text', content: { text: 'Jadi?\n\n1. Ya' } });
  expect(
    await sent(messages.sendReaction({ ...base, reaction: { messageId: wamid, emoji: '👍' } })),
  ).toMatchObject({ type: 'reaction', content: { emoji: '👍' } });
});

test('@kapso/whatsapp-cloud-api recognizes our errors', async ({ cloud }) => {
  const categoryOf = async (client: WhatsAppClient, fields: object) => {
    const sending = client.messages.sendText({
      phoneNumberId: cloud.numberId,
      to,
      body: 'Halo',
      ...fields,
    });
    const error: unknown = await sending.catch((thrown: unknown) => thrown);
    if (!(error instanceof GraphApiError)) throw new Error(`not refused: ${String(error)}`);
    return [error.httpStatus, error.code, error.category];
  };
  expect(await categoryOf(kapso({ ...cloud, key: 'salah' }), {})).toEqual([
    401,
    190,
    'authorization',
  ]);
  expect(await categoryOf(kapso(cloud), { to: 'x' })).toEqual([400, 131009, 'parameter']);
});

test('@great-detail/whatsapp sends, marks as read and reads numbers', async ({ cloud }) => {
  const client = greatDetail(cloud);
  const phoneNumberID = cloud.numberId;
  const sent = async (message: object) =>
    storedOf(
      cloud,
      client.message.createMessage({ phoneNumberID, to, ...message } as never).json(),
    );
  expect(await sent({ type: 'text', text: { body: 'Halo' } })).toMatchObject({
    content: { text: 'Halo' },
  });
  expect(await sent({ type: 'image', image: { link } })).toMatchObject({ type: 'image' });
  const number = await client.phoneNumbers.getPhoneNumber({ phoneNumberID }).json();
  expect(number).toMatchObject({ id: phoneNumberID, status: 'CONNECTED', verified_name: 'Kasir' });
  const { businessId: businessAccountID } = cloud;
  const list = await client.phoneNumbers.listPhoneNumbers({ businessAccountID }).json();
  expect(list).toMatchObject({ data: [{ id: phoneNumberID }] });
});

test('whatsapp-api-js sends every type', async ({ cloud }) => {
  const api = apiJs(cloud);
  const sent = (message: Parameters<typeof api.sendMessage>[2], context?: string) =>
    storedOf(cloud, api.sendMessage(cloud.numberId, to, message, context));
  expect(await sent(new Text('Halo'))).toMatchObject({ content: { text: 'Halo' } });
  expect(await sent(new Image(link, false, 'Foto'))).toMatchObject({
    content: { caption: 'Foto' },
  });
  expect(await sent(new Video(link))).toMatchObject({ type: 'video' });
  expect(await sent(new Audio(link))).toMatchObject({ type: 'audio' });
  expect(await sent(new Sticker(link))).toMatchObject({ type: 'sticker' });
  expect(await sent(new Document(link, false, 'Berkas', 'a.pdf'))).toMatchObject({
    content: { caption: 'Berkas', filename: 'a.pdf' },
  });
  expect(await sent(new Location(106.8, -6.2, 'Toko'))).toMatchObject({
    content: { name: 'Toko' },
  });
  const card = [
    new Name('Ani', 'Ani'),
    new Phone('+62812-1111-2222'),
    new Organization('Toko Ani'),
    new Email('ani@contoh.id'),
  ] as const;
  expect(await sent(new Contacts([...card]))).toMatchObject({
    content: { name: 'Ani', phone: '6281211112222', organization: 'Toko Ani' },
  });
  const list = new ActionList('Pilih', new ListSection('Roti', new Row('a', 'Tawar', 'Rp10.000')));
  expect(await sent(new Interactive(list, new Body('Pesan?')))).toMatchObject({
    content: { text: 'Pesan?\n\nPilih:\n\n*Roti*\n1. Tawar — Rp10.000' },
  });
  const buttons = new ActionButtons(new Button('y', 'Ya'), new Button('t', 'Tidak'));
  const framed = new Interactive(buttons, new Body('Jadi?'), new Header('Toko'), new Footer('Ani'));
  expect(await sent(framed)).toMatchObject({
    content: { text: '*Toko*\n\nJadi?\n\n1. Ya\n2. Tidak\n\n_Ani_' },
  });
  const cta = new ActionCTA('Buka', 'https://contoh.id');
  expect(await sent(new Interactive(cta, new Body('Situs')))).toMatchObject({
    content: { text: 'Situs\n\nBuka: https://contoh.id' },
  });
  const first = (await api.sendMessage(cloud.numberId, to, new Text('Awal'))) as Sent;
  const wamid = first.messages?.[0]?.id ?? '';
  expect(await sent(new Reaction(wamid, '👍'))).toMatchObject({ content: { emoji: '👍' } });
  expect(await sent(new Text('Balas'), wamid)).toMatchObject({
    content: { quoted: { text: 'Awal' } },
  });
  const template = new Template('belum_ada', 'id', new BodyComponent(new BodyParameter('Ani')));
  expect(await api.sendMessage(cloud.numberId, to, template)).toMatchObject({
    error: { code: 132001, type: 'OAuthException' },
  });
});

test('@chat-adapter/whatsapp posts texts, cards and reactions', async ({ cloud }) => {
  const adapter = chatAdapter(cloud);
  const thread = await adapter.openDM(to);
  const text = await adapter.postMessage(thread, 'Halo');
  expect(await cloud.stored(text.id)).toMatchObject({ content: { text: 'Halo' } });
  await adapter.addReaction(thread, text.id, '👍');
  await adapter.removeReaction(thread, text.id, '👍');
  const wrong = chatAdapter({ ...cloud, key: 'salah' });
  await expect(wrong.postMessage(thread, 'Halo')).rejects.toMatchObject({
    status: 401,
    errorCode: 190,
    code: 'AUTH_FAILED',
  });
});
