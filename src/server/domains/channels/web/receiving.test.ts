import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { never, toPhone } from '#tests/support/app/simulated-network.ts';
import {
  changeWebSessions,
  secrets,
  test,
  webCustomer,
} from '#tests/support/channels/web-network.ts';
import { newId } from '#server/infra/ids.ts';
import type { ReceivedMessage } from '#server/domains/channels/web/engine/engine.ts';
import { textFrom } from '#server/domains/channels/web/engine/stand-in.ts';
import {
  type InboxItem,
  addItem,
  retryItems,
  waitingMessages,
  wakeItems,
} from '#server/domains/channels/web/receiving.ts';
import { wireIdOf } from '#server/domains/channels/web/sending/wire-id.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { ago } from '#tests/support/database/changes.ts';

const OWN = '6281200000001';
const SENDER = '6281299999999';

test('receives a message with its sender, name and quoted message', async ({ openNetwork }) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { channel, inbound } = await startWorker();
  await link(ani, OWN);
  const ours = toPhone(ani, SENDER);
  await channel.send(ours, never);
  const answer = textFrom(SENDER, 'Ya', { name: 'Budi', quotes: wireIdOf(ours.messageId) });
  const other = textFrom(SENDER, 'Itu', { quotes: 'THEIRS' });
  standIn.emit(OWN, { kind: 'messages', isLive: true, messages: [answer, other] });
  await waitFor(() => expect(inbound).toHaveLength(2));
  expect(inbound).toMatchObject([
    {
      accountId: ani.accountId,
      tokenId: ani.tokenId,
      from: SENDER,
      name: 'Budi',
      type: 'text',
      body: { text: 'Ya' },
      providerId: answer.wireId,
      quotes: ours.messageId,
    },
    { quotes: 'THEIRS' },
  ]);
});

test('delivers messages that came while disconnected but no history; both make the chat known', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const first = await startWorker();
  await link(ani, OWN);
  const old = textFrom('6281200000111', 'Dulu', { atMs: Date.now() - 40 * 86_400_000 });
  standIn.emit(OWN, { kind: 'messages', isLive: false, messages: [old] });
  await waitFor(async () => expect(await sql`select peer from web_chats`).toHaveLength(1));
  await first.channel.close();
  await changeWebSessions(sql, {}, { createdAt: ago('1 hour') });

  const second = await startWorker();
  await waitFor(() => second.channel.numbers?.held().includes(ani.tokenId));
  const missed = textFrom(SENDER, 'Tadi', { atMs: Date.now() - 60_000 });
  // The network repeats it at each connection, until it considers it received.
  for (let times = 0; times < 2; times++) {
    standIn.emit(OWN, { kind: 'messages', isLive: false, messages: [old, missed] });
  }
  await waitFor(() => expect(second.inbound.length).toBeGreaterThanOrEqual(1));
  expect(
    new Set([...first.inbound, ...second.inbound].map(({ providerId }) => providerId)),
  ).toEqual(new Set([missed.wireId]));
});

test('a message that the number’s owner writes on the phone makes a chat, and is not delivered', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { inbound } = await startWorker();
  await link(ani, OWN);
  const own = textFrom(SENDER, 'Dari ponsel', { fromMe: true });
  standIn.emit(OWN, { kind: 'messages', isLive: true, messages: [own] });
  await waitFor(async () => expect(await sql`select peer from web_chats`).toHaveLength(1));
  expect(inbound).toEqual([]);
});

test('a sender with a hidden number gets a conversation, an answer, and later the number', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { channel, inbound, identified, reported } = await startWorker();
  await link(ani, OWN);
  const { phone: _, ...hidden } = textFrom(SENDER, 'Rahasia', { lid: '77@lid' });
  standIn.emit(OWN, { kind: 'messages', isLive: true, messages: [hidden] });
  await waitFor(() => expect(inbound).toMatchObject([{ from: 'XL.77' }]));
  expect(await channel.send(toPhone(ani, 'XL.77'), never)).toEqual({ outcome: 'sent' });
  expect([...standIn.arrived.values()]).toMatchObject([
    { message: { to: 'XL.77', isNewChat: false } },
  ]);

  standIn.emit(OWN, { kind: 'numbers', numbers: [{ lid: '77@lid', phone: SENDER }] });
  standIn.emit(OWN, {
    kind: 'messages',
    isLive: true,
    messages: [{ ...hidden, wireId: 'NEXT' }],
  });
  await waitFor(() => expect(inbound).toHaveLength(2));
  expect(inbound[1]).toMatchObject({ from: SENDER, providerId: 'NEXT' });
  const { accountId, tokenId } = ani;
  expect(identified).toEqual([{ accountId, tokenId, hidden: 'XL.77', peer: SENDER }]);
  // Disclosed again, it is known.
  const both = textFrom(SENDER, 'Lagi', { lid: '77@lid' });
  standIn.emit(OWN, { kind: 'messages', isLive: true, messages: [both] });
  await waitFor(() => expect(inbound).toHaveLength(3));
  expect(identified).toHaveLength(1);
  expect(await sql`select peer from web_chats`).toEqual([{ peer: SENDER }]);
  expect(reported).toEqual([]);
});

test('seals a message that waits in the database', async ({ sql, openNetwork }) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const worker = await startWorker();
  await link(ani, OWN);
  worker.isAway = true;
  standIn.emit(OWN, { kind: 'messages', isLive: true, messages: [textFrom(SENDER, 'Rahasia')] });
  const [row] = await waitFor(async () => {
    const found = await sql<{ item: Buffer }[]>`select item from web_inbox`;
    return found.length === 1 && found;
  });
  expect(row!.item.toString('latin1')).not.toContain('Rahasia');
});

test('retries messages that cannot be stored now', async ({ sql, openNetwork }) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const worker = await startWorker();
  await link(ani, OWN);
  const ours = toPhone(ani, SENDER);
  await worker.channel.send(ours, never);
  worker.isAway = true;
  standIn.emit(OWN, { kind: 'messages', isLive: true, messages: [textFrom(SENDER, 'Halo')] });
  const receipt = { wireId: wireIdOf(ours.messageId), status: 'read', atMs: Date.now() } as const;
  standIn.emit(OWN, { kind: 'receipts', receipts: [receipt] });
  await waitFor(async () => expect(await sql`select * from web_inbox`).toHaveLength(2));
  worker.isAway = false;
  await waitFor(() => expect(worker.inbound).toHaveLength(1));
  await waitFor(() => expect(worker.receipts).toHaveLength(1));
  await waitFor(async () => expect(await sql`select * from web_inbox`).toEqual([]));
});

test('drops a message that can never be stored, and takes the next one', async ({
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { inbound, receipts, reported } = await startWorker();
  await link(ani, OWN);
  const content = { kind: 'waiting' } as const;
  const ids = ['A\0B', randomBytes(6_000).toString('hex')];
  const messages = ids.map((wireId) => textFrom(SENDER, '', { wireId, content }));
  standIn.emit(OWN, { kind: 'messages', isLive: true, messages });
  const receipt = { wireId: 'A\0B', status: 'read', atMs: Date.now() } as const;
  standIn.emit(OWN, { kind: 'receipts', receipts: [receipt] });
  standIn.emit(OWN, { kind: 'messages', isLive: true, messages: [textFrom(SENDER, 'Halo')] });
  await waitFor(() => expect(inbound).toMatchObject([{ body: { text: 'Halo' } }]));
  expect(receipts).toEqual([]);
  // The receipt cannot be looked up either.
  expect(reported).toHaveLength(4);
});

test('replaces a place off the map by a line, and is not blocked by ids that cannot be looked up', async ({
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { inbound, reported } = await startWorker();
  await link(ani, OWN);
  const at = (latitude: number, longitude: number) =>
    textFrom(SENDER, '', { content: { kind: 'location', latitude, longitude, name: 'Toko' } });
  const messages = [
    at(-6.2, 106.8),
    at(90.1, 0),
    at(0, -181),
    at(Number.NaN, 0),
    at(0, Infinity),
    textFrom(SENDER, 'Ya', { quotes: 'A\0B' }),
    textFrom(SENDER, '', { content: { kind: 'change', of: 'A\0B', text: 'Tidak' } }),
  ];
  standIn.emit(OWN, { kind: 'messages', isLive: true, messages });
  await waitFor(() => expect(inbound).toHaveLength(messages.length));
  expect(inbound[0]).toMatchObject({ type: 'location', body: { latitude: -6.2, name: 'Toko' } });
  for (const nowhere of inbound.slice(1, 5)) {
    expect(nowhere).toMatchObject({ type: 'other', body: { kind: 'unsupported' } });
    expect(nowhere.body['text']).toMatch(/: Toko$/);
  }
  expect(inbound[5]).toMatchObject({ body: { text: 'Ya' }, quotes: 'A\uFFFDB' });
  expect(reported).toEqual([]);
});

test('marks a file that the network no longer has as missing, and keeps its message', async ({
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { inbound } = await startWorker();
  await link(ani, OWN);
  const picture = {
    kind: 'media',
    media: 'image',
    reference: 'gone',
    mime: 'image/png',
    caption: 'Bukti',
  } as const;
  standIn.emit(OWN, {
    kind: 'messages',
    isLive: true,
    messages: [textFrom(SENDER, '', { content: picture })],
  });
  await waitFor(() =>
    expect(inbound).toMatchObject([
      { type: 'image', body: { missing: 'expired', caption: 'Bukti' } },
    ]),
  );
});

test('stores a file once when its message comes again', async ({ sql, openNetwork }) => {
  const files = new Map([['ref', Buffer.from('picture')]]);
  const { ani, standIn, startWorker, link } = await openNetwork({ files });
  const { inbound } = await startWorker();
  await link(ani, OWN);
  const picture = { kind: 'media', media: 'image', reference: 'ref', mime: 'image/png' } as const;
  const message = textFrom(SENDER, '', { content: picture });
  for (let times = 1; times <= 2; times++) {
    standIn.emit(OWN, { kind: 'messages', isLive: true, messages: [message] });
    await waitFor(() => expect(inbound).toHaveLength(times));
    await waitFor(async () => expect(await sql`select * from web_inbox`).toEqual([]));
  }
  expect(inbound[0]).toMatchObject({ type: 'image', body: { mime: 'image/png' } });
  expect(inbound[0]!.body['file']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab]/);
  expect(inbound[1]!.body['file']).toBe(inbound[0]!.body['file']);
});

test('delivers a text before the files of others; messages keep their order of arrival', async ({
  sql,
  openNetwork,
}) => {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  const { ani, standIn, startWorker, link } = await openNetwork({
    files: new Map([['ref', promise]]),
  });
  const { inbound, reported } = await startWorker();
  await link(ani, OWN);
  const content = { kind: 'media', media: 'image', reference: 'ref', mime: 'image/png' } as const;
  const ids = ['P1', 'P2', 'P3', 'P4', 'P5'];
  const pictures = ids.map((wireId) => textFrom(SENDER, '', { wireId, content }));
  const text = textFrom('6281200000111', 'Halo');
  standIn.emit(OWN, { kind: 'messages', isLive: true, messages: [...pictures, text] });
  await waitFor(() => expect(inbound).toMatchObject([{ providerId: text.wireId }]));
  expect(await sql`select * from web_inbox`).toHaveLength(5);
  const answeredAt = newId();
  resolve(Buffer.from('picture'));
  await waitFor(() => expect(inbound).toHaveLength(6));
  await waitFor(async () => expect(await sql`select * from web_inbox`).toEqual([]));
  const came = inbound
    .slice(1)
    .map(({ messageId = '', providerId }) => ({ messageId, providerId }));
  came.sort((one, other) => (one.messageId < other.messageId ? -1 : 1));
  expect(came.map(({ providerId }) => providerId)).toEqual(ids);
  expect(came.every(({ messageId }) => messageId < answeredAt)).toBe(true);
  expect(reported).toEqual([]);
});

test('shows a line for a message that cannot be decrypted, until the message comes', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { inbound } = await startWorker();
  await link(ani, OWN);
  const unread = textFrom(SENDER, '', { wireId: 'W1', content: { kind: 'waiting' } });
  const emit = (message: typeof unread) =>
    standIn.emit(OWN, { kind: 'messages', isLive: true, messages: [message] });
  // The network repeats it with each try.
  emit(unread);
  emit(unread);
  await waitFor(() => expect(inbound.length).toBeGreaterThan(0));
  expect(inbound[0]).toMatchObject({
    type: 'other',
    body: { kind: 'waiting', text: 'Menunggu pesan ini; periksa ponsel Anda' },
    providerId: 'W1#waiting',
  });
  emit(textFrom(SENDER, 'Halo', { wireId: 'W1' }));
  await waitFor(async () => expect(await sql`select * from web_inbox`).toEqual([]));
  await waitFor(() => expect(inbound.some(({ changes }) => changes)).toBe(true));
  expect(inbound.filter(({ providerId }) => providerId === 'W1')).toMatchObject([
    { type: 'text', body: { text: 'Halo' } },
  ]);
  expect(inbound.find(({ changes }) => changes)?.changes).toEqual({
    providerId: 'W1#waiting',
    text: 'Pesan ini sudah diterima',
  });
  expect(await sql`select code, answers from provider_answers where code <> 'received'`).toEqual([
    { code: 'undecryptable', answers: 1 },
  ]);
});

test('messages that cannot be decrypted delay no others, and are tried until their lines are stored', async ({
  sql,
}) => {
  const { accountId, tokenId } = await webCustomer(sql);
  const token = { accountId, tokenId };
  const deps = { allAccountsSql: sql, secrets };
  const message = (wireId: string, content: ReceivedMessage['content']): InboxItem => ({
    kind: 'message',
    message: textFrom(SENDER, '', { wireId, content }),
  });
  const unread = Array.from({ length: 1_500 }, (_, nth) => message(`W${nth}`, { kind: 'waiting' }));
  await Promise.all(unread.map((item) => addItem(deps, token, item)));
  await addItem(deps, token, message('T1', { kind: 'text', text: 'Halo' }));
  await sql`update web_inbox set due_at = received_at`;
  const tried: string[] = [];
  const round = () =>
    retryItems(deps, token, async (item) => {
      if (item.kind === 'receipt') return 'done';
      tried.push(item.message.wireId);
      if (item.message.content.kind !== 'waiting') return 'done';
      // The line of the first one cannot be stored yet.
      return item.message.wireId === tried[1] ? 'later' : 'kept';
    });
  await round();
  expect(tried[0]).toBe('T1');
  expect(new Set(tried).size).toBe(51);
  const shown = [...(await waitingMessages(sql, token)).values()].filter(({ isShown }) => isShown);
  expect(shown).toHaveLength(49);
  await wakeItems(sql, token);
  await round();
  const again = tried.slice(51).filter((wireId) => tried.slice(0, 51).includes(wireId));
  expect(again).toEqual([tried[1]]);
});

test('a message repeated in time has no line, also after another worker has taken the number', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const timings = { waitingMs: 3_600_000 };
  const first = await startWorker({ timings });
  await link(ani, OWN);
  const unread = textFrom(SENDER, '', { wireId: 'W1', content: { kind: 'waiting' } });
  standIn.emit(OWN, { kind: 'messages', isLive: true, messages: [unread] });
  await waitFor(async () => expect(await sql`select * from web_inbox`).toHaveLength(1));
  await first.channel.close();
  const second = await startWorker({ timings });
  await waitFor(() => second.channel.numbers?.held().includes(ani.tokenId));
  const whole = textFrom(SENDER, 'Halo', { wireId: 'W1' });
  standIn.emit(OWN, { kind: 'messages', isLive: true, messages: [whole] });
  await waitFor(async () => expect(await sql`select * from web_inbox`).toEqual([]));
  expect(second.inbound).toMatchObject([{ type: 'text', body: { text: 'Halo' } }]);
});

test('counts kinds without a type by number; a change waits for the message that it changes', async ({
  sql,
  openNetwork,
}) => {
  const files = new Map<string, Uint8Array>();
  const { ani, standIn, startWorker, link } = await openNetwork({ files });
  const worker = await startWorker({ timings: { inboxMs: 200 } });
  const { inbound } = worker;
  await link(ani, OWN);
  const poll = { kind: 'other', other: 'poll', details: 'Kapan?' } as const;
  const emit = (...messages: ReturnType<typeof textFrom>[]) =>
    standIn.emit(OWN, { kind: 'messages', isLive: true, messages });
  emit(textFrom(SENDER, '', { content: poll }));
  await waitFor(async () =>
    expect(await sql`select code, answers from provider_answers where code <> 'received'`).toEqual([
      { code: 'inbound_poll', answers: 1 },
    ]),
  );
  expect(inbound).toMatchObject([{ type: 'other', body: { text: 'Polling: Kapan?' } }]);

  worker.isAway = true;
  emit(textFrom(SENDER, 'Dua', { wireId: 'T1' }));
  await waitFor(async () => expect(await sql`select * from web_inbox`).toHaveLength(1));
  emit(textFrom(SENDER, '', { content: { kind: 'change', of: 'T1', text: 'Tiga' } }));
  await waitFor(async () => expect(await sql`select * from web_inbox`).toHaveLength(2));
  worker.isAway = false;
  await waitFor(async () => expect(await sql`select * from web_inbox`).toEqual([]));
  expect(inbound.slice(1).map(({ body, changes }) => changes?.text ?? body['text'])).toEqual([
    'Dua',
    'Tiga',
  ]);
});
