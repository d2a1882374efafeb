import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import type { Inbound } from '#server/domains/channels/channels.ts';
import { otherContent } from '#server/domains/channels/other-content.ts';
import { newId } from '#server/infra/ids.ts';
import { test } from '#tests/support/database/database.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { customerWith, orderOf } from '#tests/support/people/people.ts';
import { isOptInOutKeyword, receiveInbound } from './inbound.ts';

test('stores an inbound message with any content', async ({ sql }) => {
  const { accountId, tokenId } = await customerWith(sql);
  const inbound: Inbound = {
    accountId,
    tokenId,
    from: '6281234567890',
    name: '\u202EA\0ni\u200B \uD83D',
    type: 'document',
    body: { caption: 'a\u0000b', filename: '\uDC00.pdf', 'k\0': '👋' },
    at: new Date(),
    providerId: `id\0${newId()}`,
  };
  const names: unknown[] = [];
  const receive = () =>
    receiveInbound(sql, inbound, async (_tx, { name }) => void names.push(name));
  await receive();
  await receive();
  expect(names).toEqual(['A\uFFFDni \uFFFD']);
  expect(await sql`select body from messages`).toEqual([
    {
      body: {
        caption: 'a\uFFFDb',
        filename: '\uFFFD.pdf',
        'k\uFFFD': '👋',
        provider_id: expect.stringMatching(/^id\uFFFD/),
      },
    },
  ]);
});

test('names the message of its conversation that an answer or a reaction is about', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const { accountId, tokenId } = ani;
  const { results } = await openIntake(sql, () => undefined).accept(orderOf(ani));
  const ours = results[0]?.id ?? '';
  const [placed] = await sql<{ peer: string }[]>`select peer from messages`;
  const from = placed?.peer ?? '';
  const receive = (more: Partial<Inbound>) =>
    receiveInbound(sql, {
      accountId,
      tokenId,
      from,
      type: 'text',
      body: { text: 'Ya' },
      at: new Date(),
      providerId: newId(),
      ...more,
    });
  const theirs = newId();
  await receive({ quotes: ours, providerId: theirs });
  await receive({ type: 'reaction', body: { emoji: '👍' }, quotes: theirs });
  await receive({ quotes: ours, from: '6281299999999' });
  await receive({ quotes: 'tidak-dikenal' });
  const stored = await sql<{ body: Record<string, unknown>; message_id: string }[]>`
    select message_id, body from messages where direction = 'in' order by message_id`;
  const [reply, reaction, ...unknown] = stored;
  expect(reply?.body).toMatchObject({
    reply_to: publicId('message', ours),
    quoted: { direction: 'out', type: 'text', text: 'Halo' },
  });
  expect(reaction?.body).toMatchObject({
    emoji: '👍',
    message_id: publicId('message', reply?.message_id ?? ''),
    quoted: { direction: 'in', text: 'Ya', provider_id: theirs },
  });
  for (const { body } of unknown) expect(body).not.toHaveProperty('quoted');
  expect(unknown).toHaveLength(2);
});

test('opts out on STOP, BERHENTI and UNSUB in common spellings, and in on MULAI', async ({
  sql,
}) => {
  const { accountId, tokenId } = await customerWith(sql);
  const from = '6281234567890';
  const write = (text: string) =>
    receiveInbound(sql, {
      accountId,
      tokenId,
      from,
      type: 'text',
      body: { text },
      at: new Date(),
      providerId: newId(),
    });
  const isOut = async () => (await sql`select from optouts where peer = ${from}`).length === 1;
  const stops = ['STOP', ' stop. ', 'Berhenti!', 'UNSUB', 'Unsubscribe'];
  for (const stop of [...stops, '*STOP*', 'Stop 🙏', 'stop\u200B', 'ＳＴＯＰ', '"berhenti"']) {
    await write(stop);
    expect(await isOut(), stop).toBe(true);
    await write('Mulai');
    expect(await isOut(), stop).toBe(false);
  }
  for (const other of ['stop dulu ya', 'jangan berhenti', 'unsubmit', 'stop?', 'stop 2']) {
    await write(other);
    expect(await isOut(), other).toBe(false);
  }
});

test('never treats a long text as a keyword', () => {
  // Trimming the end once took 4 s of blocking for 65,535 punctuation marks before a letter.
  expect(isOptInOutKeyword(`STOP${'!'.repeat(65_000)}`)).toBe(false);
  expect(isOptInOutKeyword(`STOP${'\n'.repeat(65_000)}`)).toBe(true);
});

test('cancels scheduled and queued messages of the phone that opts out, and no others', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const { accountId, tokenId } = ani;
  const [gone, stays] = ['6281234567890', '6281234567891'];
  const intake = openIntake(sql, () => undefined);
  const inAnHour = new Date(Date.now() + 3_600_000);
  const planned = orderOf(ani, { prices: [150, 150, 150] });
  const items = planned.items.map((item, n) => ({
    ...item,
    peer: n === 2 ? stays : gone,
    readyAt: n === 1 ? inAnHour : undefined,
  }));
  await intake.accept({ ...planned, items });
  await receiveInbound(sql, {
    accountId,
    tokenId,
    from: gone,
    type: 'text',
    body: { text: 'STOP' },
    at: new Date(),
    providerId: newId(),
  });
  expect(
    await sql`
      select peer, status from messages where direction = 'out' order by peer, message_id`,
  ).toEqual([
    { peer: gone, status: 'cancelled' },
    { peer: gone, status: 'cancelled' },
    { peer: stays, status: 'queued' },
  ]);
  expect(await sql`select available, held from wallets where account_id = ${accountId}`).toEqual([
    { available: 850, held: 150 },
  ]);
});

test('applies an edit and a deletion to their message once, and keeps the former text in its timeline', async ({
  sql,
}) => {
  const { accountId, tokenId } = await customerWith(sql);
  const from = '6281234567890';
  const receive = (more: Partial<Inbound> & Pick<Inbound, 'providerId'>) =>
    receiveInbound(sql, {
      accountId,
      tokenId,
      from,
      type: 'text',
      body: { text: 'Satu' },
      at: new Date('2026-11-24T03:00:00Z'),
      ...more,
    });
  const edit = (providerId: string, text: string, more: Partial<Inbound> = {}) =>
    receive({
      providerId,
      ...otherContent('edited', text),
      changes: { providerId: 'WA1', text },
      ...more,
    });
  const messageId = await receive({ providerId: 'WA1' });
  await receive({ providerId: 'WA2', type: 'image', body: { file: newId(), caption: 'Bukti' } });
  expect(await edit('E1', 'Dua')).toBeUndefined();
  expect(await edit('E1', 'Dua')).toBeUndefined();
  await edit('E2', 'Tiga');
  const revocation = { providerId: 'E3', ...otherContent('revoked') };
  await receive({ ...revocation, changes: { providerId: 'WA2' } });
  const bodies = async () =>
    (
      await sql<{ type: string; body: object }[]>`
      select type, body from messages order by message_id`
    ).map(({ type, body }) => ({
      type,
      ...body,
    }));
  expect(await bodies()).toEqual([
    { type: 'text', text: 'Tiga', edited_at: '2026-11-24T03:00:00Z', provider_id: 'WA1' },
    {
      type: 'image',
      file: expect.any(String),
      revoked_at: '2026-11-24T03:00:00Z',
      provider_id: 'WA2',
    },
  ]);
  expect(
    await sql`select kind, detail from message_events where message_id = ${messageId!} order by n`,
  ).toEqual([
    { kind: 'edited', detail: 'Satu' },
    { kind: 'edited', detail: 'Dua' },
  ]);
  const told = await sql`
    select kind, message_ids[1] as id from outbox where kind <> 'message.received' order by at`;
  expect(told.map(({ kind }) => kind)).toEqual([
    'message.edited',
    'message.edited',
    'message.revoked',
  ]);
  expect(told[0]).toMatchObject({ id: messageId });

  // A stranger changes nothing, and an edit of an unknown message is stored as its own message.
  await edit('E4', 'Palsu', { from: '6281299999999' });
  await receive({ ...revocation, providerId: 'E5', changes: { providerId: 'tidak-dikenal' } });
  expect((await bodies()).slice(0, 1)).toMatchObject([{ text: 'Tiga' }]);
  expect((await bodies()).slice(2)).toMatchObject([
    { type: 'other', kind: 'edited', text: 'Pesan diubah: Palsu' },
    { type: 'other', kind: 'revoked', text: 'Pesan dihapus' },
  ]);
});

test('truncates long texts, and limits the number of stored edits', async ({ sql }) => {
  const { accountId, tokenId } = await customerWith(sql);
  const long = `${'x'.repeat(65_535)}👋`;
  const message: Inbound = {
    accountId,
    tokenId,
    from: '6281234567890',
    type: 'text',
    body: { text: long },
    at: new Date(),
    providerId: 'WA1',
  };
  const messageId = await receiveInbound(sql, message);
  const text = async () =>
    (await sql<{ text: string }[]>`select body ->> 'text' as text from messages`)[0]?.text;
  expect(await text()).toBe(`${'x'.repeat(65_535)}\uFFFD`);
  for (let nth = 1; nth <= 55; nth++) {
    const changes = { providerId: 'WA1', text: nth === 55 ? `${nth} ${long}` : `${nth}` };
    await receiveInbound(sql, { ...message, providerId: `E${nth}`, changes });
  }
  expect(await text()).toBe(`55 ${'x'.repeat(65_533)}`);
  const events = await sql`select detail from message_events where message_id = ${messageId!}`;
  expect(events).toHaveLength(50);
});
