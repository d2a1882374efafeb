import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { numberIdOf } from '#contract/dialects.ts';
import { test } from '#tests/support/meta/cloud-channel.ts';

const BUDI = '6281234567890';

test('delivers buttons and lists as such, and identifies a selection by its id', async ({
  ani,
  meta,
}) => {
  meta.control.window(BUDI, true);
  meta.control.receiveFrom(BUDI, { type: 'text' });
  await meta.control.settled();
  const path = `/v23.0/${numberIdOf(publicId('token', ani.tokenId))}/messages`;
  const interactive = {
    type: 'list',
    header: { type: 'text', text: 'Menu' },
    body: { text: 'Mau yang mana?' },
    footer: { text: 'Toko Ani' },
    action: {
      button: 'Lihat menu',
      sections: [
        { title: 'Kue', rows: [{ id: 'kue-1', title: 'Bolu', description: 'Rp 20.000' }] },
        { title: 'Minum', rows: [{ id: 'minum-1', title: 'Es teh' }] },
      ],
    },
  };
  const { status, body } = await ani.call(path, {
    body: { messaging_product: 'whatsapp', to: BUDI, type: 'interactive', interactive },
  });
  expect(status).toBe(200);
  const id = (await ani.call('/v1/messages?direction=out')).body.data[0].id;
  await ani.becomes(id, 'read');
  const [sent] = meta.control.sent();
  expect(sent?.body).toMatchObject({ type: 'interactive', interactive });
  expect(body.messages[0].id).toMatch(/^wamid\./);
  meta.control.receiveFrom(BUDI, {
    type: 'list_reply',
    content: {
      type: 'list_reply',
      list_reply: { id: 'minum-1', title: 'Es teh', description: '' },
    },
    contextId: sent!.wamid,
  });
  await meta.control.settled();
  const [chosen] = (await ani.call('/v1/messages?direction=in&limit=1')).body.data;
  expect(chosen.content.choice).toMatchObject({ id: 'minum-1', title: 'Es teh', of: id });
});

test('sends every other type in Meta’s format', async ({ ani, meta }) => {
  const question = meta.control.receiveFrom(BUDI, { type: 'text' });
  await meta.control.settled();
  const [came] = (await ani.call('/v1/messages?direction=in')).body.data;
  const messages = [
    {
      type: 'location',
      location: { latitude: -6.9, longitude: 107.6, name: 'Toko Ani', address: 'Bandung' },
    },
    {
      type: 'contact',
      contact: { name: 'Citra', phone: '6281299900011', organization: 'CV Batik' },
    },
    { type: 'reaction', reaction: { message_id: came.id, emoji: '👍' } },
  ];
  for (const message of messages) {
    const { body } = await ani.call('/v1/messages', { body: { to: BUDI, ...message } });
    await ani.becomes(body.id, 'read');
  }
  expect(meta.control.sent().map(({ body }) => body)).toMatchObject([
    messages[0]!,
    {
      type: 'contacts',
      contacts: [
        {
          name: { formatted_name: 'Citra', first_name: 'Citra' },
          org: { company: 'CV Batik' },
          phones: [{ phone: '+6281299900011', wa_id: '6281299900011' }],
        },
      ],
    },
    { type: 'reaction', reaction: { message_id: question, emoji: '👍' } },
  ]);
});

test('submits a template to Meta for review, and receives the decision by callback', async ({
  ani,
  meta,
}) => {
  const made = await ani.ask('template_create', {
    name: 'promo_juni',
    language: 'id',
    category: 'marketing',
    body: 'Halo {{1}}, diskon 20%.',
  });
  expect(made.body.data).toMatchObject({ status: 'pending' });
  const known = meta.control.templates.list().find(({ name }) => name === 'promo_juni');
  expect(known).toMatchObject({ name: 'promo_juni', category: 'MARKETING' });
  const send = () =>
    ani.call('/v1/messages', {
      body: { to: BUDI, type: 'template', template: { name: 'promo_juni', variables: ['Budi'] } },
    });
  expect((await send()).body.code).toBe('template_not_approved');
  meta.control.templates.setStatus(known!.id, 'APPROVED');
  await meta.control.settled();
  const { status, body } = await send();
  expect([status, body.price]).toEqual([202, 650]);
  await ani.becomes(body.id, 'read');
  meta.control.templates.setStatus(known!.id, 'PAUSED');
  await meta.control.settled();
  expect((await send()).body.code).toBe('template_not_approved');
});
