import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { newId } from '#server/infra/ids.ts';
import { type Caller, callerOf, test } from '#tests/support/app/api-caller.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';

const to = '6281234567890';
const send = (ani: Caller, body: object, headers: Record<string, string> = {}) =>
  ani.call('/v1/messages', { body: { to, ...body }, headers });
const text = (body: string) => ({ text: { body } });

const addTemplate = (
  { allAccountsSql }: TestDatabase,
  { accountId }: Caller,
  { language = 'id', status = 'approved' } = {},
) => allAccountsSql`
  insert into message_templates (account_id, template_id, name, language, category, header, body, status)
  values (${accountId}, ${newId()}, 'pesanan', ${language}, 'utility', 'Toko Ani',
    'Halo {{1}}, pesanan {{2}} siap.', ${status})`;

test('stores the message that a reply answers, and refuses a reply outside of its conversation', async ({
  ani,
  running,
  db,
}) => {
  const { body: first } = await send(ani, text('Jadi ambil yang biru?'));
  const reply = await send(ani, { ...text('Ya'), reply_to: first.id });
  expect(reply).toMatchObject({ status: 202, body: { price: 150 } });
  const { body: shown } = await ani.call(`/v1/messages/${reply.body.id}`);
  expect(shown.content).toEqual({
    text: 'Ya',
    reply_to: first.id,
    quoted: { direction: 'out', type: 'text', text: 'Jadi ambil yang biru?' },
  });

  const budi = await callerOf(running, db, { saldo: 1000 });
  const refused = { status: 422, body: { code: 'quoted_not_found' } };
  expect(await send(ani, { ...text('Ya'), to: '6281200000009', reply_to: first.id })).toMatchObject(
    refused,
  );
  expect(await send(budi, { ...text('Ya'), reply_to: first.id })).toMatchObject(refused);
  const unknown = publicId('message', newId());
  expect(await send(ani, { ...text('Ya'), reply_to: unknown })).toMatchObject(refused);
});

test('accepts a reaction free of charge, and refuses one to an unsent message', async ({ ani }) => {
  const { body: first } = await send(ani, text('Halo'));
  const before = (await ani.call('/v1/balance')).body;
  const reaction = { type: 'reaction', reaction: { message_id: first.id, emoji: '👍' } };
  const reacted = await send(ani, reaction);
  expect(reacted).toMatchObject({ status: 202, body: { price: 0 } });
  expect((await ani.call('/v1/balance')).body).toEqual(before);
  const again = { type: 'reaction', reaction: { message_id: reacted.body.id, emoji: '👍' } };
  expect(await send(ani, again)).toMatchObject({ status: 422, body: { code: 'quoted_not_found' } });

  await ani.call(`/v1/messages/${first.id}/cancel`, { body: {} });
  expect(await send(ani, reaction)).toMatchObject({
    status: 409,
    body: { code: 'reaction_refused' },
  });
});

test('charges free and priced messages of one request each at its own price', async ({ ani }) => {
  const { body: first } = await send(ani, text('Halo'));
  const { available } = (await ani.call('/v1/balance')).body;
  const messages = [
    { to, ...text('Satu') },
    { to, type: 'reaction', reaction: { message_id: first.id, emoji: '🙏' } },
    { to, ...text('Dua') },
  ];
  const many = await ani.call('/v1/messages', { body: { messages } });
  expect(many.body.data.map(({ price }: { price: number }) => price)).toEqual([150, 0, 150]);
  expect((await ani.call('/v1/balance')).body.available).toBe(available - 300);
});

test('fills a template in, or refuses it with the reason', async ({ ani, db }) => {
  const template = (more: object = {}) => ({
    type: 'template',
    template: { name: 'pesanan', variables: ['Budi', 'A-17'], ...more },
  });
  const refuses = async (body: object, status: number, code: string) =>
    expect(await send(ani, body)).toMatchObject({ status, body: { code } });
  await refuses(template(), 404, 'template_not_found');
  await addTemplate(db, ani, { status: 'pending' });
  await refuses(template(), 409, 'template_not_approved');
  await db.allAccountsSql`update message_templates set status = 'approved'`;
  await refuses(template({ variables: ['Budi'] }), 422, 'template_variables_unfit');
  await refuses(template({ language: 'en' }), 404, 'template_not_found');
  const sent = await send(ani, template());
  expect(sent.status).toBe(202);
  const { body: shown } = await ani.call(`/v1/messages/${sent.body.id}`);
  expect(shown.content).toEqual({
    template: 'pesanan',
    language: 'id',
    header: 'Toko Ani',
    text: 'Halo Budi, pesanan A-17 siap.',
  });
  await addTemplate(db, ani, { language: 'en' });
  await refuses(template(), 422, 'template_language_needed');
  expect((await send(ani, template({ language: 'en' }))).status).toBe(202);
});

test('answers a repeat as the first time, regardless of later changes', async ({ ani, db }) => {
  await addTemplate(db, ani);
  const template = { name: 'pesanan', variables: ['Budi', 'A-17'] };
  const messages = [
    { to, type: 'template', template: { ...template, name: 'lain' } },
    { to, type: 'template', template },
    { to, ...text('Halo') },
  ];
  const ask = () =>
    ani.call('/v1/messages', { body: { messages }, headers: { 'idempotency-key': 'k' } });
  const first = await ask();
  expect(first.body).toMatchObject({ accepted: 2, refused: 1 });
  expect(first.body.data[0].error.code).toBe('template_not_found');
  for (const name of ['lain', 'entah']) {
    await db.allAccountsSql`update message_templates set name = ${name}`;
    const again = await ask();
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
  }
  const whole = [{ to, type: 'template', template: { name: 'tidak ada' } }];
  const refused = await ani.call('/v1/messages', { body: { messages: whole } });
  expect(refused).toMatchObject({ status: 404, body: { code: 'template_not_found' } });
});

test('reports an unknown file id as not found', async ({ ani }) => {
  const image = { id: publicId('media', newId()) };
  expect(await send(ani, { type: 'image', image })).toMatchObject({
    status: 422,
    body: { code: 'media_not_found' },
  });
});
