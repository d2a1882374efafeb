import { expect } from 'vitest';
import { never, toPhone } from '#tests/support/app/simulated-network.ts';
import { test } from '#tests/support/channels/web-network.ts';
import { textFrom } from '#server/domains/channels/web/engine/stand-in/stand-in.ts';
import { wireIdOf } from '#server/domains/channels/web/sending/wire-id.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const OWN = '6281200000001';
const SENDER = '6281299999999';

test('a message comes in with its sender, its name and what it answers', async ({
  openNetwork,
}) => {
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

test('what came while nobody was connected is brought, history is not; both make the chat known', async ({
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
  await sql`update web_sessions set created_at = clock_timestamp() - interval '1 hour'`;

  const second = await startWorker();
  await waitFor(() => second.channel.numbers?.held().includes(ani.tokenId));
  const missed = textFrom(SENDER, 'Tadi', { atMs: Date.now() - 60_000 });
  // The network brings it at each connection, until it believes that it came.
  for (let times = 0; times < 2; times++) {
    standIn.emit(OWN, { kind: 'messages', isLive: false, messages: [old, missed] });
  }
  await waitFor(() => expect(second.inbound.length).toBeGreaterThanOrEqual(1));
  expect(
    new Set([...first.inbound, ...second.inbound].map(({ providerId }) => providerId)),
  ).toEqual(new Set([missed.wireId]));
});

test('what the number’s owner writes on the phone makes a chat, and is nobody’s message', async ({
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

test('a message of an anonymous address waits, sealed, until the network tells whose it is', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { inbound, reported } = await startWorker();
  await link(ani, OWN);
  const { phone: _, ...hidden } = textFrom(SENDER, 'Rahasia', { lid: '77@lid' });
  standIn.emit(OWN, { kind: 'messages', isLive: true, messages: [hidden] });
  const [row] = await waitFor(async () => {
    const found = await sql<{ item: Buffer }[]>`select item from web_inbox`;
    return found.length === 1 && found;
  });
  expect(row!.item.toString('latin1')).not.toContain('Rahasia');
  expect(inbound).toEqual([]);
  standIn.emit(OWN, { kind: 'numbers', numbers: [{ lid: '77@lid', phone: SENDER }] });
  await waitFor(() => expect(inbound).toMatchObject([{ from: SENDER, body: { text: 'Rahasia' } }]));
  await waitFor(async () => expect(await sql`select * from web_inbox`).toEqual([]));
  expect(reported).toEqual([]);
});

test('what cannot be stored now is brought again', async ({ sql, openNetwork }) => {
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

test('a file that the network no longer has is missing, its message is not lost', async ({
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

test('a file is fetched, and is the same file when its message comes again', async ({
  openNetwork,
}) => {
  const files = new Map([['ref', Buffer.from('picture')]]);
  const { ani, standIn, startWorker, link } = await openNetwork({ files });
  const { inbound } = await startWorker();
  await link(ani, OWN);
  const picture = { kind: 'media', media: 'image', reference: 'ref', mime: 'image/png' } as const;
  const message = textFrom(SENDER, '', { content: picture });
  for (let times = 0; times < 2; times++) {
    standIn.emit(OWN, { kind: 'messages', isLive: true, messages: [message] });
  }
  await waitFor(() => expect(inbound).toHaveLength(2));
  expect(inbound[0]).toMatchObject({ type: 'image', body: { mime: 'image/png' } });
  expect(inbound[0]!.body['file']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab]/);
  expect(inbound[1]!.body['file']).toBe(inbound[0]!.body['file']);
});
