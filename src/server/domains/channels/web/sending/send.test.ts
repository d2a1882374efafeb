import { expect } from 'vitest';
import { never, toPhone } from '#tests/support/app/simulated-network.ts';
import { secrets, test } from '#tests/support/channels/web-network.ts';
import { textFrom } from '#server/domains/channels/web/engine/stand-in.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { wireIdOf } from './wire-id.ts';

const OWN = '6281200000001';
const RECEIVER = '6281299999999';

test('a message leaves under its own id, and its receipts find it', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { channel, receipts, reported } = await startWorker();
  await link(ani, OWN);
  const message = toPhone(ani, RECEIVER);
  expect(await channel.send(message, never)).toEqual({ outcome: 'sent' });
  const wireId = wireIdOf(message.messageId);
  expect(wireId).toMatch(/^3EB0[0-9A-F]{18}$/);
  expect(standIn.arrived.get(wireId)).toMatchObject({
    from: OWN,
    times: 1,
    message: { to: RECEIVER, content: { kind: 'text', text: 'Halo' }, isNewChat: true },
  });

  // Repeated and in the wrong order: the channel only passes them on.
  const at = { wireId, atMs: Date.now() };
  standIn.emit(OWN, { kind: 'receipts', receipts: [{ ...at, status: 'read' }] });
  standIn.emit(OWN, { kind: 'receipts', receipts: [{ ...at, status: 'delivered' }] });
  standIn.emit(OWN, { kind: 'receipts', receipts: [{ ...at, wireId: 'X', status: 'read' }] });
  await waitFor(() => expect(receipts).toHaveLength(2));
  const { accountId } = ani;
  const { messageId } = message;
  expect(receipts).toMatchObject([
    { accountId, messageId, status: 'read' },
    { accountId, messageId, status: 'delivered' },
  ]);
  await waitFor(async () =>
    expect(await sql`select last_receipt_at is not null as told from connections`).toEqual([
      { told: true },
    ]),
  );
  expect(reported).toEqual([]);
});

test('a repeat after a crash is the same message to the network; an acknowledged one is not sent again', async ({
  openNetwork,
}) => {
  let answers = 0;
  const { ani, standIn, startWorker, link } = await openNetwork({
    answer: () => {
      answers += 1;
      return answers === 1 ? 'silent' : { outcome: 'acknowledged' };
    },
  });
  const { channel } = await startWorker({ timings: { sendMs: 2_000 } });
  await link(ani, OWN);
  const message = toPhone(ani, RECEIVER);
  await expect(channel.send(message, never)).rejects.toThrow('did not acknowledge');
  expect(await channel.send({ ...message, attempt: 2 }, never)).toEqual({ outcome: 'sent' });
  expect(await channel.send({ ...message, attempt: 3 }, never)).toEqual({ outcome: 'sent' });
  expect([...standIn.arrived.values()].map(({ times }) => times)).toEqual([1]);
  expect(answers).toBe(2);
});

test('resends, for three days, a message that a phone could not read, and stores it sealed', async ({
  sql,
  openNetwork,
}) => {
  const { ani, startWorker, link } = await openNetwork();
  const { channel } = await startWorker();
  await link(ani, OWN);
  const code = toPhone(ani, RECEIVER, { body: { text: 'Kode ••••••' }, text: 'Kode 493817' });
  await channel.send(code, never);
  const [row] = await sql<{ content: Buffer }[]>`select content from web_sent`;
  const wireId = wireIdOf(code.messageId);
  const place = `web_sent:${ani.accountId}:${ani.tokenId}:${wireId}`;
  expect(row!.content.toString('latin1')).not.toContain('493817');
  expect(secrets.open(row!.content, place)?.toString()).toContain('Kode 493817');
});

test('463 fails the message, stops new chats, lets replies pass, and notifies the owner once', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork({
    answer: ({ isNewChat }) =>
      isNewChat ? { outcome: 'refused', code: 463 } : { outcome: 'acknowledged' },
  });
  const { channel, notices, inbound } = await startWorker();
  await link(ani, OWN);
  standIn.emit(OWN, { kind: 'messages', isLive: true, messages: [textFrom(RECEIVER, 'Halo')] });
  await waitFor(() => expect(inbound).toHaveLength(1));

  const first = await channel.send(toPhone(ani, '6281211111111'), never);
  expect(first).toEqual({ outcome: 'failed', failure: 'number_restricted' });
  const second = await channel.send(toPhone(ani, '6281211111112'), never);
  expect(second).toMatchObject({ outcome: 'later', failure: 'number_restricted' });
  expect(await channel.send(toPhone(ani, RECEIVER), never)).toEqual({ outcome: 'sent' });
  expect(standIn.arrived.size).toBe(1);
  await waitFor(() => expect(notices).toHaveLength(1));
  expect(notices).toMatchObject([{ accountId: ani.accountId, title: 'Nomor "Kasir" dibatasi' }]);
  expect(notices[0]!.body).toContain('percakapan baru');
  expect(
    await sql`
      select channel, code, answers from provider_answers where code <> 'received'`,
  ).toEqual([{ channel: 'web', code: '463', answers: 1 }]);

  // A second one causes no notice; its end lets new chats begin again.
  standIn.emit(OWN, { kind: 'receipts', receipts: [refusedLater()] });
  standIn.emit(OWN, { kind: 'time_lock', isActive: false });
  await waitFor(async () =>
    expect(await sql`select restriction from connections`).toEqual([{ restriction: null }]),
  );
  expect(notices).toHaveLength(1);
});

const refusedLater = () =>
  ({ wireId: 'X', status: 'failed', code: 463, atMs: Date.now() }) as const;

test('a time lock and a used-up quota of the network stop new chats until they end', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { channel, notices } = await startWorker();
  await link(ani, OWN);
  const untilMs = Date.now() + 3_600_000;
  standIn.emit(OWN, { kind: 'time_lock', isActive: true, untilMs });
  await waitFor(() => expect(notices).toHaveLength(1));
  const held = await channel.send(toPhone(ani, RECEIVER), never);
  expect(held).toMatchObject({ outcome: 'later', failure: 'number_restricted' });
  expect(held).toHaveProperty('afterMs', expect.closeTo(3_600_000, -5));

  standIn.emit(OWN, { kind: 'capping', isCapped: true, untilMs: Date.now() + 7 * 86_400_000 });
  await waitFor(async () =>
    expect(await sql`select restriction from connections`).toEqual([{ restriction: 'capped' }]),
  );
  // Longer than a day: fails at once.
  expect(await channel.send(toPhone(ani, RECEIVER), never)).toEqual({
    outcome: 'failed',
    failure: 'number_restricted',
  });
  await waitFor(() => expect(notices).toHaveLength(2));
});

test('a young number begins a few chats a day, and continues its existing ones', async ({
  sql,
  openNetwork,
}) => {
  const { ani, startWorker, link } = await openNetwork();
  const { channel } = await startWorker();
  await link(ani, OWN);
  for (let nth = 0; nth < 20; nth++) {
    const to = `62812000001${String(nth).padStart(2, '0')}`;
    expect(await channel.send(toPhone(ani, to), never)).toEqual({ outcome: 'sent' });
  }
  const held = await channel.send(toPhone(ani, '6281200000200'), never);
  expect(held).toMatchObject({ outcome: 'later', failure: 'rate_limited' });
  expect(held).toHaveProperty('afterMs', expect.closeTo(86_400_000, -6));
  expect(await channel.send(toPhone(ani, '6281200000100'), never)).toEqual({ outcome: 'sent' });
  expect(channel.numbers?.paceMs(ani.tokenId)).toBe(10_000);

  await sql`update web_numbers set first_linked_at = clock_timestamp() - interval '8 days'`;
  await waitFor(() => channel.numbers?.paceMs(ani.tokenId) === 3_000);
  expect(await channel.send(toPhone(ani, '6281200000200'), never)).toEqual({ outcome: 'sent' });
});

test('a number that is not in the network makes no chat', async ({ sql, openNetwork }) => {
  const { ani, startWorker, link } = await openNetwork({
    answer: () => ({ outcome: 'not_on_whatsapp' }),
  });
  const { channel } = await startWorker();
  await link(ani, OWN);
  expect(await channel.send(toPhone(ani, RECEIVER), never)).toEqual({
    outcome: 'failed',
    failure: 'not_on_whatsapp',
  });
  expect(await sql`select * from web_chats`).toEqual([]);
});
