import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { type RunningApp, signedIn, test } from './support/app/running-app.ts';
import { pdfOf, picture } from './support/app/uploads-app.ts';
import { waitFor } from './support/wait-for.ts';

type Owner = { accountId: string; userId: string; tokenId: string; token: string };
type Fields = Record<string, unknown>;
const to = '081234567890';

const sending =
  ({ ask }: RunningApp, { token, tokenId }: Owner) =>
  async (act: string, fields: Fields) => {
    const place = { token, token_id: publicId('token', tokenId), to, key: randomUUID() };
    const { body } = await ask(act, { ...place, ...fields });
    return body.code === 1 ? body.data : body.error;
  };

async function uploaded({ container }: RunningApp, owner: Owner, name: string, bytes: Buffer) {
  const bytesOf = async function* () {
    yield bytes;
  };
  const given = { purpose: 'media', declared: '', name, lengthBytes: bytes.length } as const;
  const uploadId = await container.media.uploads.take(owner, { ...given, bytes: bytesOf() });
  return publicId('upload', uploadId);
}

const template = { name: 'pesanan_siap', language: 'id' };
const handIn = (running: RunningApp, { token }: Owner) =>
  running.ask('template_create', {
    token,
    key: randomUUID(),
    ...template,
    category: 'utility',
    header: 'Pesanan siap',
    body: 'Halo {{1}}, pesanan {{2}} siap.',
    buttons: ['Saya ambil'],
  });

test('delivers a place, a card and a template from the browser to the phone', async ({
  openApp,
  db,
}) => {
  const running = await openApp({ works: true });
  const ani = await signedIn(db, { saldo: 10_000 });
  const send = sending(running, ani);
  await handIn(running, ani);
  const place = { latitude: '-6,2', longitude: '106.816666', name: ' Toko Ani ', address: '' };
  expect(await send('message_send_location', place)).toMatchObject({
    type: 'location',
    content: {
      place: { latitude: -6.2, longitude: 106.816666, name: 'Toko Ani', address: null },
    },
  });
  const card = { name: 'Budi', phone: '0812-3456-7890', organization: 'Toko Ani' };
  expect(await send('message_send_contact', card)).toMatchObject({
    type: 'contact',
    content: { name: 'Budi', phone: '6281234567890' },
  });
  expect(await db.owner`select peer, name, source from contacts`).toEqual([
    { peer: '6281234567890', name: 'Budi', source: 'sent_card' },
  ]);
  const filled = { ...template, variables: ['Budi', 'A-17'] };
  expect(await send('message_send_template', filled)).toMatchObject({
    type: 'template',
    content: {
      caption: 'Halo Budi, pesanan A-17 siap.',
      template: { header: 'Pesanan siap', buttons: ['Saya ambil'] },
    },
  });
  await waitFor(async () => {
    const lines = await db.allAccountsSql`
      select type from sim_lines where direction = 'in' order by type`;
    expect(lines.map(({ type }) => type)).toEqual(['contact', 'location', 'template']);
  });
});

test('sends a reaction for free, replaces the previous one, and removes it by an empty one', async ({
  openApp,
  db,
}) => {
  const running = await openApp();
  const ani = await signedIn(db, { saldo: 150 });
  const send = sending(running, ani);
  const { id } = await send('message_send', { text: 'Siap diambil' });
  const reactions = async () => {
    const { body } = await running.ask('conversation_messages', {
      token: ani.token,
      token_id: publicId('token', ani.tokenId),
      peer: to,
    });
    return body.data.map((one: { reactions: object[] }) => one.reactions);
  };
  for (const emoji of ['👍', '🙏']) {
    const { price, type } = await send('message_react', { message_id: id, emoji });
    expect([price, type]).toEqual([0, 'reaction']);
  }
  expect(await reactions()).toEqual([[{ direction: 'out', emoji: '🙏' }]]);
  await send('message_react', { message_id: id, emoji: '' });
  expect(await reactions()).toEqual([[]]);
  expect(await send('message_react', { message_id: id, emoji: 'bagus' })).toMatchObject({
    type: 'input_invalid',
  });
});

test('sends once per key for any content, and refuses another body under the same key', async ({
  openApp,
  db,
}) => {
  const running = await openApp();
  const ani = await signedIn(db, { saldo: 10_000 });
  const send = sending(running, ani);
  await handIn(running, ani);
  const { id } = await send('message_send', { text: 'Halo' });
  const calls: [string, Fields][] = [
    ['message_send_location', { latitude: '-6.2', longitude: '106.8' }],
    ['message_send_contact', { name: 'Budi', phone: to }],
    ['message_send_template', { ...template, variables: ['Budi', 'A-17'] }],
    ['message_react', { message_id: id, emoji: '👍' }],
  ];
  for (const [act, fields] of calls) {
    const key = randomUUID();
    const [one, same] = await Promise.all([
      send(act, { ...fields, key }),
      send(act, { ...fields, key }),
    ]);
    expect(same.id, act).toBe(one.id);
    expect(one.id, act).toMatch(/^msg_/);
  }
  const key = randomUUID();
  await send('message_send_contact', { name: 'Budi', phone: to, key });
  expect(await send('message_send_contact', { name: 'Sari', phone: to, key })).toMatchObject({
    type: 'idempotency_conflict',
  });
  expect(await db.owner`select from messages where direction = 'out'`).toHaveLength(6);
});

test('refuses invalid content with a reason, and hides other people’s messages', async ({
  openApp,
  db,
}) => {
  const running = await openApp();
  const [ani, budi] = [
    await signedIn(db, { saldo: 10_000 }),
    await signedIn(db, { saldo: 10_000 }),
  ];
  const send = sending(running, ani);
  await handIn(running, ani);
  const hers = await send('message_send', { text: 'Halo' });
  const reasons: [string, Fields, object][] = [
    [
      'message_send_location',
      { latitude: '91', longitude: '106,8 E' },
      { facts: { fields: { latitude: expect.any(String), longitude: expect.any(String) } } },
    ],
    ['message_send_contact', { name: ' ', phone: 'kantor' }, { type: 'input_invalid' }],
    ['message_send_template', { ...template, language: 'en' }, { type: 'template_not_found' }],
    [
      'message_send_template',
      { ...template, variables: ['Budi'] },
      { type: 'template_variables_unfit', facts: { expected: 2, given: 1 } },
    ],
    [
      'message_send_template',
      { ...template, variables: ['Budi', 'A-17'], header: 'Besok' },
      { type: 'template_parts_unfit' },
    ],
  ];
  for (const [act, fields, refusal] of reasons) {
    expect(await send(act, fields), act).toMatchObject(refusal);
  }
  const asBudi = sending(running, budi);
  expect(await asBudi('message_react', { message_id: hers.id, emoji: '👍' })).toMatchObject({
    type: 'quoted_not_found',
  });
  const foreign = { token_id: publicId('token', ani.tokenId), latitude: '1', longitude: '1' };
  expect(await asBudi('message_send_location', foreign)).toMatchObject({
    type: 'token_not_linked',
  });
  const poor = await signedIn(db);
  expect(
    await sending(running, poor)('message_send_contact', { name: 'Budi', phone: to }),
  ).toMatchObject({ type: 'saldo_short' });
});

test('puts an upload of the browser above a template, if its kind fits', async ({
  openApp,
  db,
}) => {
  const running = await openApp();
  const ani = await signedIn(db, { saldo: 10_000 });
  const send = sending(running, ani);
  await handIn(running, ani);
  await db.owner`update message_templates set header = null, header_file = 'image'`;
  const filled = { ...template, variables: ['Budi', 'A-17'] };
  expect(await send('message_send_template', filled)).toMatchObject({
    type: 'template_parts_unfit',
    facts: { header: 'image' },
  });
  const pdf = await uploaded(running, ani, 'harga.pdf', pdfOf(1_000));
  expect(await send('message_send_template', { ...filled, upload: pdf })).toMatchObject({
    type: 'media_unfit',
  });
  const bytes = await picture('png', { width: 900, height: 600 });
  const upload = await uploaded(running, ani, 'kue.png', bytes);
  expect(await send('message_send_template', { ...filled, upload })).toMatchObject({
    type: 'template',
    content: {
      url: expect.stringMatching(/^\/files\/fil_/),
      template: { media: 'png' },
    },
  });
});
