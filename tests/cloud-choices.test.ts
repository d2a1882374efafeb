import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import {
  ActionButtons,
  ActionList,
  Body,
  Button,
  Interactive,
  ListSection,
  Row,
} from 'whatsapp-api-js/messages';
import { uuidOf } from '#contract/base/ids.ts';
import { messageIdOf } from '#contract/dialects.ts';
import { CHOICE_LIMITS } from '#contract/messages/captions.ts';
import { apiJs, kapso } from './support/dialects/cloud-clients.ts';
import { waitFor } from './support/wait-for.ts';
import { type Understood, programs } from './support/webhooks/cloud-programs.ts';
import { type Shop, test } from './support/webhooks/format-app.ts';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);
const phone = '6281299990001';
const nobody = (): Understood => ({ statuses: [], messages: [], answers: [] });

/** The phone's owner answers; a message that is in the phone has left. */
async function answer(shop: Shop, wamid: string, text: string): Promise<void> {
  await waitFor(async () => {
    const { body } = await shop.call(`/v1/messages/${messageIdOf(wamid)}`);
    expect(['sent', 'delivered', 'read']).toContain(body.status);
  });
  const sentQuestion = await shop.running.ask('simulator_reply', { phone, to: shop.phone, text });
  expect(sentQuestion.status).toBe(200);
}

type Sent = { messages?: { id: string }[] };
const idIn = (sent: unknown): string => (sent as Sent).messages?.[0]?.id ?? '';

const inbound = ({ receiver }: Shop) =>
  receiver.posts.flatMap(({ body }) => JSON.parse(body).entry[0].changes[0].value.messages ?? []);

const template = { name: 'jadi', body: 'Halo {{1}}, jadi?', buttons: ['Jadi', 'Batal'] };

async function sendTemplate(shop: Shop): Promise<string> {
  expect((await shop.call('/v1/templates', { body: template })).status).toBe(201);
  const components = [
    { type: 'body', parameters: [{ type: 'text', text: 'Ani' }] },
    {
      type: 'button',
      subType: 'quick_reply',
      index: 1,
      parameters: [{ type: 'payload', payload: 'BATAL-17' }],
    },
  ] as const;
  const sent = await kapso(shop).messages.sendTemplate({
    phoneNumberId: shop.numberId,
    to: phone,
    template: { name: 'jadi', language: { code: 'id' }, components: [...components] },
  });
  return idIn(sent);
}

for (const [name, { program }] of Object.entries(programs)) {
  test(`${name} receives the selection from buttons, a list, and a template`, async ({ shop }) => {
    const understood = nobody();
    await shop.tell('cloud', (known) => program(known, understood));
    const buttons = [
      { id: 'ya-17', title: 'Ya' },
      { id: 'tidak-17', title: 'Tidak' },
    ];
    const base = { phoneNumberId: shop.numberId, to: phone };
    const sentQuestion = await kapso(shop).messages.sendInteractiveButtons({
      ...base,
      bodyText: 'Jadi?',
      buttons,
    });
    await answer(shop, idIn(sentQuestion), ' 1. ');
    await waitFor(() => expect(understood.answers).toEqual(['button_reply ya-17 Ya']));
    const rows = [new Row('roti', 'Tawar', 'Rp10.000'), new Row('kue', 'Lapis')];
    const list = new Interactive(
      new ActionList('Pilih', new ListSection('Roti', ...(rows as [Row, Row]))),
      new Body('Pesan?'),
    );
    await answer(shop, idIn(await apiJs(shop).sendMessage(shop.numberId, phone, list)), 'tawar');
    await waitFor(() => expect(understood.answers[1]).toBe('list_reply roti Tawar'));
    await answer(shop, await sendTemplate(shop), 'BATAL');
    await waitFor(() => expect(understood.answers[2]).toBe('button BATAL-17 Batal'));
    expect(understood.messages.map(({ type, from }) => [type, from])).toEqual([
      ['interactive', phone],
      ['interactive', phone],
      ['button', phone],
    ]);
  });
}

test('names the question of an answer, treats other texts as text, and keeps both when delivered again', async ({
  shop,
}) => {
  await shop.tell('cloud', (known) => programs['whatsapp-api-js'].program(known, nobody()));
  const question = new Interactive(
    new ActionButtons(new Button('y', 'Ya'), new Button('t', 'Tidak')),
    new Body('Jadi?'),
  );
  const wamid = idIn(await apiJs(shop).sendMessage(shop.numberId, phone, question));
  await answer(shop, wamid, '2');
  await answer(shop, wamid, 'Besok saja');
  await waitFor(() => expect(inbound(shop)).toHaveLength(2));
  const [chosen, text] = inbound(shop);
  expect(chosen).toMatchObject({
    from: phone,
    context: { from: shop.phone, id: wamid },
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id: 't', title: 'Tidak' } },
  });
  expect(text).toMatchObject({ type: 'text', text: { body: 'Besok saja' } });
  expect(text).not.toHaveProperty('context');

  // A second question does not change the answer to the first.
  const { accountId, tokenId, running, receiver } = shop;
  await apiJs(shop).sendMessage(shop.numberId, phone, question);
  const { calls } = running.container.webhooks;
  const before = receiver.posts.length;
  const [delivery] = receiver.posts.filter(({ body }) => body.includes('button_reply'));
  await calls.replay(
    { accountId, tokenId },
    uuidOf('delivery', delivery?.headers['webhook-id'] ?? '') ?? '',
  );
  const redelivered = await waitFor(
    () => receiver.posts.slice(before).find(({ body }) => body.includes('button_reply')) ?? false,
  );
  expect(redelivered.body).toBe(delivery?.body);
});

test('adds the selection to the text in Kabari’s own formats', async ({ shop }) => {
  const posts = shop.receiver.posts;
  await shop.tell('kabari', () => async () => new Response(null, { status: 204 }));
  const sentQuestion = await kapso(shop).messages.sendInteractiveButtons({
    phoneNumberId: shop.numberId,
    to: phone,
    bodyText: 'Jadi?',
    buttons: [{ id: 'ya', title: 'Ya' }],
  });
  const of = messageIdOf(idIn(sentQuestion));
  await answer(shop, idIn(sentQuestion), 'ya');
  const event = await waitFor(
    () =>
      posts.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'message.received') ??
      false,
  );
  const choice = { id: 'ya', title: 'Ya', type: 'button', of };
  expect(event.data).toMatchObject({ type: 'text', content: { text: 'ya', choice } });
  const shown = await shop.call(`/v1/messages/${event.data.id}`);
  expect(shown.body).toMatchObject({ type: 'text', content: { text: 'ya', choice } });
  expect((await shop.call(`/v1/messages/${of}`)).body.content).toEqual({
    text: 'Jadi?\n\n1. Ya',
    choices: { type: 'button', options: [{ id: 'ya', title: 'Ya' }] },
  });
  expect((await shop.call('/v1/events?after=0')).text).toContain('"choice":{');
});

test('runs the documented sample and gets the documented answer', async ({ shop }) => {
  const page = await readFile(join(root, 'docs/dialects/cloud-api.md'), 'utf8');
  const section = /^## Buttons and lists\n([\s\S]*?)^## /m.exec(page)?.[1] ?? '';
  const [, code = '', shown = ''] =
    /```js\n([\s\S]*?)```[\s\S]*?```json\n([\s\S]*?)```/.exec(section) ?? [];
  await shop.tell('cloud', (known) => programs['whatsapp-api-js'].program(known, nobody()));
  const here = code
    .replaceAll('https://kabari.example', shop.origin)
    .replaceAll('PHONE_NUMBER_ID', shop.numberId)
    .replaceAll('6281234567890', phone)
    .replaceAll('KEY', shop.key);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', here], {
    cwd: root,
  });
  await answer(shop, stdout.trim(), '1');
  const [told] = await waitFor(() => inbound(shop).length > 0 && inbound(shop));
  const expected = JSON.parse(shown);
  expect(told).toEqual({
    ...expected,
    from: phone,
    id: expect.stringMatching(/^wamid\.[A-Za-z0-9_-]{22}$/),
    timestamp: expect.stringMatching(/^\d{10}$/),
    context: { from: shop.phone, id: stdout.trim() },
  });
  for (const wamid of [expected.id, expected.context.id]) expect(messageIdOf(wamid)).toBeDefined();
  const limits = [...section.matchAll(/^\| (?:buttons|a list|a template) \|(.*?)\|/gm)].map(
    ([, cell = '']) => cell.match(/\d+/g)?.map(Number),
  );
  const { buttons, buttonId, buttonTitle, rows, rowId, rowTitle, rowDescription, payload } =
    CHOICE_LIMITS;
  expect(limits).toEqual([
    [buttons, buttonId, buttonTitle],
    [rows, rowId, rowTitle, rowDescription],
    [payload],
  ]);
});
