import { expect } from 'vitest';
import type { Act, InputOf, OutputOf } from '#contract/base/act.ts';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  cancelMessages,
  checkResend,
  rescheduleMessage,
  resendMessage,
  resendMessages,
} from '#contract/messages/history.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { type FindMedia, findNoMedia } from '#server/domains/messages/submit/place.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { type Customer, customerWith } from '#tests/support/people/people.ts';
import { resendActs } from '#server/domains/messages/resend.ts';
import { insertMessages } from '#tests/support/people/stored-messages.ts';

const BUDI = '6281200000001';

type Content = { type?: string; body?: object; status?: string; failure?: string | null };

/** A shop whose messages failed, with the acts of its user. */
type Shop = Customer & {
  ended: (content?: Content) => Promise<string>;
  planned: () => Promise<string>;
  ask: <A extends Act>(act: A, input: InputOf<A>, key?: string) => Promise<OutputOf<A>>;
};

function askAs(db: TestDatabase, { accountId }: Customer, findMedia: FindMedia = findNoMedia) {
  const handlers = resendActs({
    sql: db.tenantSql,
    intake: openIntake(db.tenantSql, () => undefined),
    prices: { message: () => rupiah(150) } as never,
    fileLink: () => '',
    offerFile: () => ({ link: '', expiresAt: new Date() }),
    findMedia,
    now: () => new Date(),
    onWork: () => undefined,
  });
  const ask: Shop['ask'] = async (act, input, key = crypto.randomUUID()) => {
    const handler = handlers.find((one) => one.act.name === act.name)!;
    const call = { caller: { kind: 'person', accountId }, key } as never;
    return (await handler.handle(call, input as never)) as never;
  };
  return ask;
}

async function store(sql: Sql, shop: Customer, content: Content): Promise<string> {
  const { type = 'text', body = { text: 'Halo' }, status = 'failed', failure = null } = content;
  const id = newId();
  const message = { id, tokenId: shop.tokenId, peer: BUDI, type, body, status, failure };
  await insertMessages(sql, shop.accountId, [message]);
  return id;
}

const test = base.extend<{ shop: Shop }>({
  shop: async ({ db, sql }, use) => {
    const customer = await customerWith(sql, { saldo: 10_000 });
    const intake = openIntake(sql, () => undefined);
    const planned = async () => {
      const id = newId();
      await intake.accept({
        ...customer,
        hash: Buffer.alloc(0),
        items: [
          {
            id,
            tokenId: customer.tokenId,
            peer: BUDI,
            type: 'text',
            body: { text: 'Nanti' },
            price: rupiah(150),
            hash: Buffer.alloc(0),
            priority: 1,
            readyAt: new Date(Date.now() + 3_600_000),
          },
        ],
      });
      return id;
    };
    const ended = (content: Content = {}) => store(db.owner, customer, content);
    await use({ ...customer, ended, planned, ask: askAs(db, customer) });
  },
});

const bodyOf = async (sql: Sql, id: string) => {
  const [row] = await sql<{ type: string; body: object; peer: string }[]>`
    select type, body, peer from messages where message_id = ${uuidOf('message', id)!}`;
  return row;
};

test('resends a message of every type with the same content', async ({ sql, shop }) => {
  const link = 'https://toko.example/katalog.pdf';
  const contents = [
    { type: 'text', body: { text: 'Halo *Budi*', metadata: { pesanan: 'A-17' } } },
    { type: 'image', body: { link: 'https://toko.example/a.jpg', caption: 'Baru' } },
    { type: 'video', body: { link: 'https://toko.example/a.mp4' } },
    { type: 'audio', body: { link: 'https://toko.example/a.ogg', voice: true } },
    { type: 'document', body: { link, filename: 'katalog.pdf', caption: 'Katalog' } },
    { type: 'sticker', body: { link: 'https://toko.example/a.webp' } },
    { type: 'location', body: { latitude: -6.2, longitude: 106.8, name: 'Toko' } },
    { type: 'contact', body: { name: 'Kurir', phone: '6281300000009', organization: 'JNE' } },
    {
      type: 'contact',
      body: { name: 'Toko', phone: '6281300000009', phones: ['6281300000009', '6281300000008'] },
    },
    {
      type: 'text',
      body: {
        text: 'Pilih',
        choices: { type: 'button', options: [{ id: 'y', title: 'Ya' }] },
        interactive: { body: 'Pilih' },
      },
    },
  ];
  for (const content of contents) {
    const id = await shop.ended(content);
    const row = await shop.ask(resendMessage, { message_id: id });
    expect(row).toMatchObject({ type: content.type, status: 'queued', price: 150, peer: BUDI });
    expect(row.id).not.toBe(publicId('message', id));
    expect(await bodyOf(sql, row.id)).toEqual({ ...content, peer: BUDI });
  }
});

test('fills a template in from its present version, and refuses one that is not approved', async ({
  sql,
  shop,
}) => {
  await sql`
    insert into message_templates (account_id, template_id, name, language, category, body, buttons, status)
    values (${shop.accountId}, ${newId()}, 'siap', 'id', 'utility', 'Halo {{1}}, pesanan {{2}} siap.',
      ${['Ya', 'Tidak']}, 'approved')`;
  const body = {
    template: 'siap',
    language: 'id',
    text: 'Hai Budi',
    buttons: ['Ya', 'Tidak'],
    parameters: [
      { name: '1', text: 'Budi' },
      { name: '2', text: 'A-17' },
    ],
    choices: {
      type: 'template',
      options: [
        { id: 'ambil', title: 'Ya' },
        { id: 'batal', title: 'Tidak' },
      ],
    },
  };
  const id = await shop.ended({ type: 'template', body });
  const row = await shop.ask(resendMessage, { message_id: id });
  expect(await bodyOf(sql, row.id)).toMatchObject({
    body: { text: 'Halo Budi, pesanan A-17 siap.', choices: body.choices },
  });
  await sql`update message_templates set status = 'rejected'`;
  await expect(shop.ask(resendMessage, { message_id: id })).rejects.toEqual(
    new Refusal('template_not_approved', { name: 'siap' }),
  );
});

test('fetches a missing file again from its link, and refuses without one', async ({ shop }) => {
  const linked = { link: 'https://toko.example/a.jpg', file: newId() };
  const row = await shop.ask(resendMessage, {
    message_id: await shop.ended({ type: 'image', body: linked }),
  });
  expect(row.status).toBe('queued');
  const lost = await shop.ended({ type: 'image', body: { file: newId(), caption: 'Hilang' } });
  await expect(shop.ask(resendMessage, { message_id: lost })).rejects.toEqual(
    new Refusal('media_not_found', {}),
  );
});

test('refuses inbound, delivered and in-flight messages, reactions, and other accounts’ messages', async ({
  db,
  sql,
  shop,
}) => {
  const unfit = [
    await shop.ended({ status: 'sent' }),
    await shop.ended({ status: 'read' }),
    await shop.planned(),
    await shop.ended({
      type: 'reaction',
      body: { message_id: publicId('message', newId()), emoji: '👍' },
    }),
  ];
  for (const id of unfit) {
    await expect(shop.ask(resendMessage, { message_id: id })).rejects.toEqual(
      new Refusal('resend_unfit', {}),
    );
  }
  const mine = await shop.ended();
  const stranger = askAs(db, await customerWith(sql, { saldo: 1_000 }));
  await expect(stranger(resendMessage, { message_id: mine })).rejects.toEqual(
    new Refusal('not_found', { what: 'Pesan' }),
  );
});

test('sends or refuses each of many on its own, and sends none twice with the same key', async ({
  db,
  sql,
  shop,
}) => {
  const poor = await customerWith(sql, { saldo: 300 });
  const ask = askAs(db, poor);
  const fit = [await store(db.owner, poor, {}), await store(db.owner, poor, { status: 'expired' })];
  const short = await store(db.owner, poor, { status: 'cancelled' });
  const arrived = await store(db.owner, poor, { status: 'delivered' });
  const missing = newId();
  const message_ids = [missing, arrived, short, ...fit, ...fit];

  const cost = await ask(checkResend, { message_ids });
  expect(cost).toMatchObject({ count: 3, price: 450, by_quota: 0 });
  expect(cost.refused.map(({ error }) => error.type)).toEqual(['resend_unfit', 'not_found']);
  expect(await sql`select from messages where status = 'queued'`).toHaveLength(0);

  const key = crypto.randomUUID();
  const first = await ask(resendMessages, { message_ids }, key);
  // Oldest first: the saldo is enough for two of three.
  expect(first.sent.map(({ message_id }) => message_id)).toEqual(
    fit.map((id) => publicId('message', id)),
  );
  expect(first.refused).toEqual([
    {
      message_id: publicId('message', short),
      error: { type: 'saldo_short', msg: expect.stringContaining('Rp') },
    },
    {
      message_id: publicId('message', arrived),
      error: { type: 'resend_unfit', msg: expect.stringContaining('dikirim ulang') },
    },
    {
      message_id: publicId('message', missing),
      error: { type: 'not_found', msg: expect.stringContaining('Pesan') },
    },
  ]);
  const again = await ask(resendMessages, { message_ids }, key);
  expect(again.sent).toEqual(first.sent);
  expect(await sql`select from messages where status = 'queued'`).toHaveLength(2);
  expect(
    await sql`select available, held from wallets where account_id = ${poor.accountId}`,
  ).toEqual([{ available: 0, held: 300 }]);
  // Another click has another key.
  const rich = shop.ask;
  const id = await shop.ended();
  const one = await rich(resendMessages, { message_ids: [id] });
  const two = await rich(resendMessages, { message_ids: [id] });
  expect(one.sent[0]?.as).not.toBe(two.sent[0]?.as);
});

test('does not count messages of the plan’s quota as a cost', async ({ sql, shop }) => {
  await sql`select set_plan_allowance(${shop.accountId}, 2, 90, false)`;
  const message_ids = [await shop.ended(), await shop.ended(), await shop.ended()];
  expect(await shop.ask(checkResend, { message_ids })).toMatchObject({
    count: 3,
    by_quota: 2,
    price: 90,
  });
});

test('cancels or refuses each of many on its own, and releases their price', async ({
  db,
  sql,
  shop,
}) => {
  const plans = [await shop.planned(), await shop.planned()];
  const gone = await shop.ended({ status: 'sent' });
  const message_ids = [...plans, gone];
  const stranger = askAs(db, await customerWith(sql));
  const foreign = await stranger(cancelMessages, { message_ids });
  expect(foreign.cancelled).toEqual([]);
  expect(foreign.refused.map(({ error }) => error.type)).toEqual(
    Array.from({ length: 3 }, () => 'not_found'),
  );

  const { cancelled, refused } = await shop.ask(cancelMessages, { message_ids });
  expect(cancelled).toEqual(plans.map((id) => publicId('message', id)));
  expect(refused).toEqual([
    {
      message_id: publicId('message', gone),
      error: { type: 'message_final', msg: expect.any(String) },
    },
  ]);
  expect(
    await sql`select available, held from wallets where account_id = ${shop.accountId}`,
  ).toEqual([{ available: 10_000, held: 0 }]);
});

test('reschedules a message from the portal, for its owner only', async ({ db, sql, shop }) => {
  const id = await shop.planned();
  const at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 7_200_000);
  const input = { message_id: id, send_at: at.toISOString() };
  expect(await shop.ask(rescheduleMessage, input)).toMatchObject({
    status: 'scheduled',
    scheduled_at: at,
  });
  const stranger = askAs(db, await customerWith(sql));
  await expect(stranger(rescheduleMessage, input)).rejects.toEqual(
    new Refusal('not_found', { what: 'Pesan' }),
  );
  const sent = await shop.ended({ status: 'sent' });
  await expect(shop.ask(rescheduleMessage, { ...input, message_id: sent })).rejects.toEqual(
    new Refusal('message_final', { status: 'sent' }),
  );
});
