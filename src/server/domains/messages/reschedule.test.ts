import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { withdraw } from './dispatch/withdraw.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { test as base } from '#tests/support/database/database.ts';
import { type Customer, customerWith, orderOf } from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { type FindMedia, findNoMedia } from './submit/place.ts';
import { reschedule } from '#server/domains/messages/schedule.ts';
import { changeDispatch } from '#tests/support/app/lanes.ts';
import { changeMessages } from '#tests/support/people/stored-messages.ts';

const HOUR_MS = 3_600_000;
/** One time for all tests, so that a passing second changes no expected time. */
const BEGUN_MS = Math.ceil(Date.now() / 1_000) * 1_000;
const inHours = (hours: number) => new Date(BEGUN_MS + hours * HOUR_MS);

/** A shop that schedules messages. */
type Shop = Customer & {
  plan: (planned?: { readyAt?: Date | undefined; expiresAt?: Date }) => Promise<string>;
  move: (messageId: string, at: Date) => Promise<void>;
};

const test = base.extend<{ shop: Shop }>({
  shop: async ({ sql }, use) => {
    const customer = await customerWith(sql, { saldo: 10_000 });
    const intake = openIntake(sql, () => undefined);
    const plan: Shop['plan'] = async ({ readyAt = inHours(1), expiresAt } = {}) => {
      const order = orderOf(customer);
      const items = order.items.map((item) => ({ ...item, readyAt, expiresAt }));
      const { results } = await intake.accept({ ...order, items });
      return results[0]?.id ?? '';
    };
    const move: Shop['move'] = (messageId, at) =>
      reschedule({ sql, findMedia: findNoMedia }, { ...customer, messageId }, at);
    await use({ ...customer, plan, move });
  },
});

async function scheduleOf(sql: Sql, id: string) {
  const [row] = await sql<
    { ready_at: Date; expires_at: Date | null; kept: Date | null; status: string; state: string }[]
  >`
    select d.ready_at, d.expires_at, m.expires_at as kept, m.status, d.state from dispatch d
    join messages m on m.account_id = d.account_id and m.message_id = d.message_id
    where d.message_id = ${id}`;
  return row;
}

test('reschedules a message, and moves its end along', async ({ sql, shop }) => {
  const id = await shop.plan({ readyAt: inHours(2), expiresAt: inHours(3) });
  const [lane] = await sql<{ wakes: number }[]>`select wakes from lanes`;
  await shop.move(id, inHours(1));
  const end = inHours(2);
  expect(await scheduleOf(sql, id)).toMatchObject({
    ready_at: inHours(1),
    expires_at: end,
    kept: end,
  });
  expect(await sql`select ready_at from lanes`).toEqual([{ ready_at: inHours(1) }]);
  const [woken] = await sql<{ wakes: number }[]>`select wakes from lanes`;
  expect(Number(woken?.wakes)).toBe(Number(lane?.wakes) + 1);
  await shop.move(id, inHours(5));
  expect(await scheduleOf(sql, id)).toMatchObject({ ready_at: inHours(5), status: 'scheduled' });
  expect(await sql`select kind, data from outbox where kind = 'message.rescheduled'`).toEqual(
    Array.from({ length: 2 }, () => ({
      kind: 'message.rescheduled',
      data: {
        id: publicId('message', id),
        token_id: publicId('token', shop.tokenId),
        peer: expect.stringMatching(/^62\d+$/),
      },
    })),
  );
  const steps = await sql`select n from message_events where kind = 'scheduled' order by n`;
  expect(steps).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
});

test('leaves a message that is no longer scheduled unchanged', async ({ db, sql, shop }) => {
  const refused = async (id: string, code: string) => {
    const before = await scheduleOf(sql, id);
    await expect(shop.move(id, inHours(9))).rejects.toMatchObject({ code });
    expect(await scheduleOf(sql, id)).toEqual(before);
  };
  const id = await shop.plan();
  for (const state of ['sending', 'unknown']) {
    await changeDispatch(db.owner, { messageId: id }, { state, attempt: 1 });
    await refused(id, 'message_in_flight');
  }
  const unsure = { state: 'ready', attempt: 1, unsureUntil: 'now' };
  await changeDispatch(db.owner, { messageId: id }, unsure);
  await refused(id, 'message_in_flight');
  const cancelled = await shop.plan();
  await withdraw(sql, shop.accountId, cancelled);
  await refused(cancelled, 'message_final');
  await refused('0193b0a0-7c00-7000-8000-00000000ffff', 'not_found');
  const other = await customerWith(sql);
  const foreign = { accountId: other.accountId, tokenId: other.tokenId, messageId: id };
  await expect(
    reschedule({ sql, findMedia: findNoMedia }, foreign, inHours(9)),
  ).rejects.toMatchObject({ code: 'not_found' });
});

test('lets a lane that takes the message at the same moment win, and never send it during the change', async ({
  db,
  sql,
  shop,
}) => {
  const id = await shop.plan();
  const planned = await scheduleOf(sql, id);
  let moving: Promise<void> | undefined;
  await db.owner.begin(async (tx) => {
    await changeDispatch(tx, { messageId: id }, { state: 'sending', attempt: 1 });
    moving = shop.move(id, inHours(9));
    moving.catch(() => undefined);
    await waitFor(async () =>
      expect(
        await tx`
          select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`,
      ).not.toEqual([]),
    );
  });
  await expect(moving).rejects.toMatchObject({ code: 'message_in_flight' });
  expect(await scheduleOf(sql, id)).toMatchObject({
    state: 'sending',
    ready_at: planned?.ready_at,
  });

  const another = await shop.plan();
  await sql.begin(async (tx) => {
    const { accountId, tokenId } = shop;
    await tx`select reschedule_message(${accountId}, ${tokenId}, ${another}, ${inHours(9)})`;
    const taken = await db.owner`
      select from dispatch where message_id = ${another} for update skip locked`;
    expect(taken).toEqual([]);
  });
  expect(await scheduleOf(sql, another)).toMatchObject({ ready_at: inHours(9), state: 'ready' });
});

test('keeps its file until the new time', async ({ db, sql, shop }) => {
  const id = await shop.plan();
  const file = newId();
  await changeMessages(db.owner, {}, { body: json({ text: 'Halo', file }) });
  const asked: [string, ReadonlyMap<string, Date>][] = [];
  const findMedia: FindMedia = async (...given) => {
    asked.push(given);
    return new Map();
  };
  const { accountId, tokenId } = shop;
  await reschedule({ sql, findMedia }, { accountId, tokenId, messageId: id }, inHours(90));
  expect(asked).toEqual([[accountId, new Map([[file, inHours(90)]])]]);
});
