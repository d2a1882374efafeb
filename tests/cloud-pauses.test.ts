import { describe, expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import {
  type CloudSender,
  passTime,
  untilLanesRest,
  test,
} from '#tests/support/meta/cloud-channel.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const HOUR_MS = 3_600_000;

const peerOf = (n: number): string => `62812000002${String(n).padStart(2, '0')}`;

/** Queues messages in order, to as many numbers or to one. @returns their ids */
async function queue(
  ani: CloudSender,
  count: number,
  peerAt: (n: number) => string = peerOf,
): Promise<string[]> {
  for (let n = 0; n < count; n++) ani.meta.control.receiveFrom(peerAt(n), { type: 'text' });
  await ani.meta.control.settled();
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const body = { to: peerAt(n), text: { body: `Pesan ${n}` } };
    const answer = await ani.call('/v1/messages', { body });
    expect(answer.status).toBe(202);
    ids.push(answer.body.id);
  }
  return ids;
}

const connectionOf = async (ani: CloudSender) => {
  const fields = { token_id: publicId('token', ani.tokenId) };
  return (await ani.ask('token_connection_get', fields)).body.data;
};
const pausedFor = (ani: CloudSender, reason: string) =>
  waitFor(async () => expect((await connectionOf(ani)).paused).toMatchObject({ reason }));
const statusOf = async (ani: CloudSender) =>
  (await ani.ask('token_get', { token_id: publicId('token', ani.tokenId) })).body.data.status;
const callsOf = ({ meta }: CloudSender) =>
  meta.control.calls().filter(({ path }) => path.endsWith('/messages')).length;

/** Checks that every message left and was charged once, and that the wallet reserves nothing. */
async function allSent(ani: CloudSender, ids: readonly string[], { allAccountsSql }: TestDatabase) {
  for (const id of ids) await ani.becomes(id, 'read');
  const sent = ani.meta.control.sent().map(({ callbackData }) => callbackData);
  expect(new Set(sent)).toEqual(new Set(ids));
  expect(sent).toHaveLength(ids.length);
  expect((await ani.call('/v1/balance')).body).toMatchObject({
    held: 0,
    available: 100_000 - 150 * ids.length,
  });
  await booksAreRight(allAccountsSql);
}

async function booksAreRight(sql: TestDatabase['allAccountsSql']) {
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
}

const pausesIn = async ({ allAccountsSql: sql }: TestDatabase) =>
  (await sql<{ pauses: number }[]>`select pauses from connections`)[0]?.pauses;

const ofAll = process.env['TEST_ALL'] === '1';

/** One of each kind; `codes.test.ts` reads the others. */
const refusals = [
  [131_042, 'billing', 'network_billing'],
  [131_005, 'refused', 'network_access'],
  ...(ofAll
    ? ([
        [131_031, 'restricted', 'number_restricted'],
        [368, 'restricted', 'number_restricted'],
      ] as const)
    : []),
] as const;

for (const [code, reason, failure] of refusals) {
  test(`code ${code} pauses the whole number, and fails nothing`, async ({ ani, db }) => {
    const messages = /\/messages$/;
    ani.meta.control.failAlways({ kind: 'error', code }, messages);
    const ids = await queue(ani, 6);
    await pausedFor(ani, reason);
    await untilLanesRest(db.allAccountsSql);
    const before = callsOf(ani);
    await passTime(db);
    await waitFor(async () => expect(await pausesIn(db)).toBe(2));
    // After a pause a single message is tried: the first.
    expect(callsOf(ani)).toBe(before + 1);
    for (const id of ids) {
      const { body } = await ani.call(`/v1/messages/${id}`);
      expect([body.status, body.failure]).toEqual(['queued', null]);
    }
    await waitFor(async () => {
      const { body } = await ani.call(`/v1/messages/${ids[0]}`);
      expect(body.retrying).toMatchObject({ code: failure });
    });
    expect((await ani.call('/v1/balance')).body).toMatchObject({ held: 900, available: 99_100 });
    expect(await statusOf(ani)).toBe('linked');
    ani.meta.control.failAlways(undefined);
    await passTime(db);
    await allSent(ani, ids, db);
    expect((await connectionOf(ani)).paused).toBeNull();
  });
}

for (const [code, reason] of [
  [131_037, 'display_name'],
  [133_010, 'unregistered'],
] as const) {
  test(`code ${code} disconnects the number with its own advice, and it reconnects automatically`, async ({
    ani,
    db,
    running,
  }) => {
    ani.meta.control.failAlways({ kind: 'error', code }, /\/messages$/);
    const ids = await queue(ani, 3);
    await waitFor(async () => expect(await statusOf(ani)).toBe('disconnected'));
    expect((await connectionOf(ani)).parted).toMatchObject({ reason });
    const { cloud } = running.container.channels;
    await cloud.check();
    expect(await statusOf(ani)).toBe('disconnected');
    ani.meta.control.failAlways(undefined);
    await passTime(db);
    await cloud.check();
    await allSent(ani, ids, db);
    expect(await statusOf(ani)).toBe('linked');
  });
}

test('holds messages to a closed country without blocking others', async ({ ani, db }) => {
  const { control } = ani.meta;
  const abroad = ['14155550100', '14155550101'];
  for (const phone of abroad) {
    control.receiveFrom(phone, { type: 'text' });
    control.failFor(phone, { kind: 'error', code: 130_497 });
  }
  await control.settled();
  const send = async (to: string) =>
    (await ani.call('/v1/messages', { body: { to, text: { body: 'Halo' } } })).body.id;
  const first = await send(abroad[0]!);
  await waitFor(async () =>
    expect((await ani.call(`/v1/messages/${first}`)).body.retrying?.code).toBe('number_restricted'),
  );
  const tried = callsOf(ani);
  const second = await send(abroad[1]!);
  const [home] = await queue(ani, 1);
  await ani.becomes(home!, 'read');
  expect(callsOf(ani)).toBe(tried + 1);
  for (const phone of abroad) control.failFor(phone, undefined);
  for (const id of [first, second])
    expect((await ani.call(`/v1/messages/${id}`)).body.status).toBe('queued');
  expect((await ani.call('/v1/balance')).body).toMatchObject({ held: 300, available: 99_550 });
  await booksAreRight(db.allAccountsSql);
});

test('defers messages with a paused template without a call for each', async ({ ani, db }) => {
  const { control } = ani.meta;
  const template = control.templates.add({ name: 'promo', body: 'Halo {{1}}' });
  await ani.ask('template_sync');
  const ids: string[] = [];
  for (let n = 0; n < 20; n++) {
    const { body } = await ani.call('/v1/messages', {
      body: {
        to: peerOf(n),
        type: 'template',
        template: { name: 'promo', variables: ['Kak'] },
        send_at: new Date(Date.now() + HOUR_MS),
      },
    });
    ids.push(body.id);
  }
  control.templates.setStatus(template.id, 'PAUSED');
  control.failAlways({ kind: 'error', code: 132_015 }, /\/messages$/);
  const before = callsOf(ani);
  await passTime(db, HOUR_MS);
  await waitFor(async () => {
    const put = await db.allAccountsSql`
      select 1 from dispatch where attempt > 0 and state = 'ready'`;
    expect(put).toHaveLength(20);
  });
  // Those sent together before the first was refused.
  expect(callsOf(ani) - before).toBeLessThanOrEqual(20);
  expect((await connectionOf(ani)).paused).toBeNull();
  const tried = callsOf(ani);
  await passTime(db, 15 * 60_000);
  await waitFor(async () => {
    const retried = await db.allAccountsSql`select 1 from dispatch where attempt > 1`;
    expect(retried).toHaveLength(20);
  });
  expect(callsOf(ani)).toBe(tried);
  control.failAlways(undefined);
  const other = '6281200000299';
  control.receiveFrom(other, { type: 'text' });
  await control.settled();
  const { body: reply } = await ani.call('/v1/messages', {
    body: { to: other, text: { body: 'Halo' } },
  });
  await ani.becomes(reply.id, 'read');
  control.templates.setStatus(template.id, 'APPROVED');
  await control.settled();
  await passTime(db, 15 * 60_000);
  for (const id of ids) await ani.becomes(id, 'read');
  await booksAreRight(db.allAccountsSql);
});

/** Pauses of an outage. */
const ROUNDS = ofAll ? 5 : 3;

describe('a network that is out', () => {
  test.override({ env: { CLOUD_TIMEOUT_MS: '4000' } });

  for (const [name, failure] of [
    ['does not answer', { kind: 'hang', isAccepted: false }],
    ['answers by a proxy', { kind: 'html' }],
    ...(ofAll ? ([['says that it is broken', { kind: 'error', code: 131_016 }]] as const) : []),
  ] as const) {
    test(`probes a network that ${name} with one message, and loses no message`, async ({
      ani,
      db,
    }) => {
      ani.meta.control.failAlways(failure, /\/messages$/);
      const ids = await queue(ani, 12);
      await pausedFor(ani, 'silent');
      const { allAccountsSql: sql } = db;
      for (let round = 2; round <= ROUNDS; round++) {
        await passTime(db);
        await waitFor(async () => expect(await pausesIn(db)).toBe(round));
      }
      // Twelve at first, and a single one after each pause.
      expect(callsOf(ani)).toBeLessThanOrEqual(12 + ROUNDS - 1);
      expect(await sql`select 1 from messages where status in ('failed', 'expired')`).toEqual([]);
      expect((await ani.call('/v1/balance')).body).toMatchObject({ held: 150 * 12 });
      ani.meta.control.failAlways(undefined);
      await passTime(db);
      await allSent(ani, ids, db);
    });
  }

  test('fails nothing if all messages go to one customer', async ({ ani, db }) => {
    ani.meta.control.failAlways({ kind: 'html' }, /\/messages$/);
    const ids = await queue(ani, 4, () => peerOf(0));
    // Two tries of the first message: the others wait behind it.
    await pausedFor(ani, 'silent');
    expect(callsOf(ani)).toBe(2);
    await passTime(db);
    await waitFor(async () => expect(await pausesIn(db)).toBe(2));
    const { allAccountsSql: sql } = db;
    expect(await sql`select 1 from messages where status in ('failed', 'expired')`).toEqual([]);
    ani.meta.control.failAlways(undefined);
    await passTime(db);
    await allSent(ani, ids, db);
  });

  test('tries no message while even the check is unanswered', async ({ ani, db }) => {
    ani.meta.control.failAlways({ kind: 'html' });
    const ids = await queue(ani, 8);
    await pausedFor(ani, 'silent');
    await untilLanesRest(db.allAccountsSql);
    const tried = callsOf(ani);
    for (let round = 2; round <= ROUNDS; round++) {
      await passTime(db);
      await waitFor(async () => expect(await pausesIn(db)).toBe(round));
    }
    expect(callsOf(ani)).toBe(tried);
    ani.meta.control.failAlways(undefined);
    await passTime(db);
    await allSent(ani, ids, db);
  });
});
