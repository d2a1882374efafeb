import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { expireMessages, withdraw } from './withdraw.ts';
import { applyReceipts } from './settle.ts';
import { checkLanes, laneLagSeconds } from './lanes.ts';
import type { SendResult } from '#server/domains/channels/channels.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { newId } from '#server/infra/ids.ts';
import { test } from '#tests/support/database/database.ts';
import {
  claimDue,
  lanesOver,
  network,
  acceptTexts,
  hangingAnswer,
  statuses,
} from '#tests/support/app/fake-channel.ts';
import { changeTokens, customerWith, orderOf } from '#tests/support/people/people.ts';
import { changeDispatch, changeLanes, nextEpoch, wakeLanes } from '#tests/support/app/lanes.ts';
import { ago, agedBy } from '#tests/support/database/changes.ts';

test('sends messages of a token in order and charges them when sent', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 10_000 });
  const peers = Array.from({ length: 20 }, (_, index) => `62812000${1000 + index}`);
  await acceptTexts(sql, ani, { prices: peers.map(() => 150), peers });
  const { seen, channels } = network(() => ({ outcome: 'sent' }));
  const lanes = lanesOver(sql, channels);
  await waitFor(async () => expect(await sql`select * from dispatch`).toEqual([]));
  await lanes.close();

  expect(seen.map(({ to }) => to)).toEqual(peers);
  expect(new Set((await statuses(sql)).map(({ charge_state }) => charge_state))).toEqual(
    new Set(['captured']),
  );
  expect(await sql`select available, held from wallets`).toEqual([{ available: 7000, held: 0 }]);
});

test('holds a message to the same phone until the one before it ends', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 10_000 });
  await acceptTexts(sql, ani, { prices: [150, 150, 150] });
  let onWay = 0;
  let most = 0;
  const { seen, channels } = network(async ({ attempt, messageId }) => {
    onWay += 1;
    most = Math.max(most, onWay);
    await pause(5);
    onWay -= 1;
    const first = seen[0]?.messageId === messageId;
    return first && attempt === 1
      ? { outcome: 'later', afterMs: 40, failure: 'rate_limited' }
      : { outcome: 'sent' };
  });
  const lanes = lanesOver(sql, channels);
  await waitFor(async () => expect(await sql`select * from dispatch`).toEqual([]));
  await lanes.close();

  expect(most).toBe(1);
  const order = seen.map(({ messageId }) => messageId);
  expect(order[0]).toBe(order[1]);
  expect(order.slice(1)).toEqual(order.slice(1).toSorted());
});

test('delays a lane whose messages all wait for an unsure one', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 10_000 });
  await acceptTexts(sql, ani, { prices: [150, 150] });
  const { seen, channels } = network(({ attempt }) =>
    attempt === 1
      ? { outcome: 'later', afterMs: 1_000, failure: 'rate_limited' }
      : { outcome: 'sent' },
  );
  const lanes = lanesOver(sql, channels);
  await waitFor(() => expect(seen.length).toBeGreaterThan(1));
  const [lane] = await sql<{ epoch: number }[]>`select epoch from lanes`;
  await lanes.close();

  expect(lane?.epoch).toBeLessThan(12);
});

test('releases the price after a definite refusal and stores the reason', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  await acceptTexts(sql, ani);
  const { channels } = network(() => ({ outcome: 'failed', failure: 'not_on_whatsapp' }));
  const lanes = lanesOver(sql, channels);
  await waitFor(async () => expect(await sql`select * from dispatch`).toEqual([]));
  await lanes.close();

  expect(await sql`select status, charge_state, failure from messages`).toEqual([
    { status: 'failed', charge_state: 'released', failure: 'not_on_whatsapp' },
  ]);
  expect(await sql`select available, held from wallets`).toEqual([{ available: 1000, held: 0 }]);
  expect(
    await sql`select status, sum(messages)::int as messages, sum(cost)::int as cost from message_counts
      group by status having sum(messages) <> 0`,
  ).toEqual([{ status: 'failed', messages: 1, cost: 0 }]);
});

test('tries once more without an answer, marked, then fails', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  await acceptTexts(sql, ani);
  const silent = network(() => new Promise<SendResult>(() => undefined), {
    preallocates: false,
    timeoutMs: 40,
  });
  const lanes = lanesOver(sql, silent.channels);
  await waitFor(async () => expect(await sql`select * from dispatch`).toEqual([]));
  await lanes.close();

  expect(silent.seen.map(({ possibleDuplicate }) => possibleDuplicate)).toEqual([false, true]);
  expect(await sql`select status, failure, possible_duplicate, charge_state from messages`).toEqual(
    [
      {
        status: 'failed',
        failure: 'no_answer',
        possible_duplicate: true,
        charge_state: 'released',
      },
    ],
  );
});

test('settles a message by its receipt when the answer never came', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const placed = await acceptTexts(sql, ani);
  const silent = network(() => new Promise<SendResult>(() => undefined), {
    preallocates: false,
    timeoutMs: 3_000,
  });
  const lanes = lanesOver(sql, silent.channels);
  await waitFor(() => expect(silent.seen).toHaveLength(1));
  const messageId = placed.results[0]?.id ?? '';
  await applyReceipts(sql, [
    { accountId: ani.accountId, messageId, status: 'delivered', at: new Date() },
  ]);
  await lanes.close();

  expect(await statuses(sql)).toEqual([{ status: 'delivered', charge_state: 'captured' }]);
  expect(await sql`select * from dispatch`).toEqual([]);
  expect(silent.seen).toHaveLength(1);
});

test('changes nothing from a worker that lost its lane', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  await acceptTexts(sql, ani);
  const { promise: held, resolve: letGo } = Promise.withResolvers<SendResult>();
  const first = network(() => held);
  const lanes = lanesOver(sql, first.channels);
  await waitFor(() => expect(first.seen).toHaveLength(1));

  const [lane] = await sql<{ owner: string }[]>`select owner from lanes`;
  const second = network(() => ({ outcome: 'sent' }));
  const others = lanesOver(sql, second.channels);
  await waitFor(async () => {
    // The first worker may take its lane again: its lease stays expired until the other has it.
    await changeLanes(sql, { owner: lane!.owner }, { leaseUntil: ago('1 second') });
    expect(second.seen).toHaveLength(1);
  });
  await waitFor(async () => expect(await sql`select * from dispatch`).toEqual([]));
  letGo({ outcome: 'failed', failure: 'rejected' });
  await Promise.all([lanes.close(), others.close()]);

  const ids = ({ seen }: typeof first) => new Set(seen.map(({ messageId }) => messageId));
  expect(ids(second)).toEqual(ids(first));
  expect(await statuses(sql)).toEqual([{ status: 'sent', charge_state: 'captured' }]);
});

test('keeps messages queued while the token’s phone is not linked', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  await acceptTexts(sql, ani);
  await changeTokens(sql, {}, { status: 'disconnected', phone: null });
  const { seen, channels } = network(() => ({ outcome: 'sent' }));
  const lanes = lanesOver(sql, channels);
  await waitFor(async () =>
    expect(await sql`select epoch::int, owner from lanes`).toEqual([{ epoch: 1, owner: null }]),
  );
  expect(seen).toEqual([]);

  await changeTokens(sql, {}, { status: 'linked', phone: ani.phone });
  await changeLanes(sql, {}, { readyAt: 'now' });
  lanes.wake();
  await waitFor(() => expect(seen).toHaveLength(1));
  await lanes.close();
});

test('keeps messages waiting and the lane idle while the token’s channel is switched off', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 1_000 });
  await changeTokens(sql, ani, { channel: 'web' });
  await acceptTexts(sql, ani);
  const { seen, channels } = network(() => ({ outcome: 'sent' }));
  const lanes = lanesOver(sql, channels);
  await waitFor(async () => {
    const [lane] = await sql<{ rests: boolean }[]>`
      select owner is null and epoch > 0 and ready_at > clock_timestamp() + interval '2 seconds' as rests
      from lanes where token_id = ${ani.tokenId}`;
    return lane?.rests === true;
  });
  await lanes.close();
  expect(seen).toEqual([]);
  expect(await sql`select state, attempt from dispatch`).toEqual([{ state: 'ready', attempt: 0 }]);
});

test('polls a lane less often the longer its phone is away, down to once a minute', async ({
  sql,
  db,
}) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  await acceptTexts(sql, ani);
  await changeTokens(sql, {}, { status: 'disconnected', phone: null });
  const { channels } = network(() => ({ outcome: 'sent' }));
  for (const [away, restS] of [
    ['1 second', 5],
    ['2 minutes', 30],
    ['1 day', 60],
  ] as const) {
    await changeDispatch(db.owner, {}, { readyAt: ago(away) });
    await changeLanes(sql, {}, { readyAt: 'now', epoch: 0 });
    const lanes = lanesOver(sql, channels);
    await waitFor(async () =>
      expect(await sql`select epoch::int, owner from lanes`).toEqual([{ epoch: 1, owner: null }]),
    );
    const [rest] = await sql<{ from_s: number }[]>`
      select extract(epoch from ready_at - clock_timestamp())::float8 as from_s from lanes`;
    await lanes.close();
    expect(rest?.from_s).toBeLessThanOrEqual(restS + 1);
    expect(rest?.from_s).toBeGreaterThan(restS - 4);
  }
});

test('sends at once when a phone is linked while its lane is released', async ({ sql, db }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  await acceptTexts(sql, ani);
  await changeDispatch(db.owner, {}, { readyAt: ago('1 day') });
  await changeTokens(sql, {}, { status: 'disconnected', phone: null });
  let closed = 0;
  let due: unknown;
  const linkAround = async (close: () => unknown) => {
    await changeTokens(sql, {}, { status: 'linked', phone: ani.phone });
    await wakeLanes(sql);
    await close();
    due = await sql`select ready_at <= clock_timestamp() as due from lanes`;
  };
  const linking = new Proxy(sql, {
    apply: (target, self, given: Parameters<typeof sql>) => {
      const go = () => Reflect.apply(target, self, given) as unknown;
      if (!String(given[0]).includes('close_lane')) return go();
      closed += 1;
      return closed === 1 ? linkAround(go) : go();
    },
  });
  const { seen, channels } = network(() => ({ outcome: 'sent' }));
  const lanes = lanesOver(linking, channels);
  await waitFor(() => expect(seen).toHaveLength(1));
  expect(due).toEqual([{ due: true }]);
  await lanes.close();
});

const ARRIVED: ReadonlySet<string> = new Set(['delivered', 'read']);

test('ends in the same state with one charge for receipts in every order and repeated', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 100_000 });
  const orders = permutations(['sent', 'delivered', 'read', 'failed'] as const);
  for (const [index, order] of orders.entries()) {
    const placed = await acceptTexts(sql, ani, { peers: [`62812000${2000 + index}`] });
    const messageId = placed.results[0]?.id ?? '';
    for (const status of [...order, ...order]) {
      await sql`select count(*) from settle_batch(
        ${ani.accountId}, null, null, ${[messageId]}::uuid[], ${[status]}::text[],
        ${[status === 'failed' ? 'rejected' : null]}::text[], ${[null]}::timestamptz[])`;
    }
    const [message] = await sql`
      select status, charge_state from messages where message_id = ${messageId}`;
    expect(message, order.join(' ')).toEqual({ status: 'read', charge_state: 'captured' });
    // A failure after delivery is ignored; one before it stays, and is corrected.
    const wasFailed = !order.slice(0, order.indexOf('failed')).some((one) => ARRIVED.has(one));
    const steps = await sql<{ kind: string }[]>`
      select kind from message_events where message_id = ${messageId} order by kind`;
    expect(steps.map(({ kind }) => kind)).toEqual([
      ...(wasFailed ? ['corrected'] : []),
      'delivered',
      ...(wasFailed ? ['failed'] : []),
      'read',
      'sent',
    ]);
  }
  const [wallet] = await sql`select available + held as rest from wallets`;
  const [charged] = await sql`
    select 100000 - coalesce(sum(price) filter (where charge_state = 'captured'), 0) as rest from messages`;
  expect(Number(wallet?.['rest'])).toBe(Number(charged?.['rest']));
});

test('cancels an unsent message, and refuses to cancel a sent one', async ({ sql, db }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const placed = await acceptTexts(sql, ani, {
    prices: [150, 150],
    peers: ['6281200000001', '6281200000002'],
  });
  const [first, second] = placed.results.map(({ id }) => id);
  expect(await withdraw(db.tenantSql, ani.accountId, first ?? '')).toMatchObject({
    id: publicId('message', first ?? ''),
    status: 'cancelled',
  });
  expect(await sql`select available, held from wallets`).toEqual([{ available: 850, held: 150 }]);

  await nextEpoch(sql);
  await claimDue(sql, ani, { epoch: 1 });
  await expect(withdraw(db.tenantSql, ani.accountId, second ?? '')).rejects.toEqual(
    new Refusal('message_in_flight', {}),
  );
  await applyReceipts(sql, [
    { accountId: ani.accountId, messageId: second ?? '', status: 'delivered', at: new Date() },
  ]);
  await expect(withdraw(db.tenantSql, ani.accountId, second ?? '')).rejects.toEqual(
    new Refusal('message_final', { status: 'delivered' }),
  );
  await expect(withdraw(db.tenantSql, newId(), second ?? '')).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('expires a message past its ttl free of charge, also while its phone is away', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const order = orderOf(ani, { prices: [150, 150], peers: ['6281200000001', '6281200000002'] });
  const past = new Date(Date.now() - 1000);
  const items = order.items.map((item, index) => ({
    ...item,
    expiresAt: index === 0 ? past : undefined,
  }));
  await openIntake(sql, () => undefined).accept({ ...order, items });
  await expireMessages(sql);
  expect(await statuses(sql)).toEqual([
    { status: 'expired', charge_state: 'released' },
    { status: 'queued', charge_state: 'held' },
  ]);
  expect(await sql`select available, held from wallets`).toEqual([{ available: 850, held: 150 }]);
});

test('never exceeds the pace of a lane, and settles while it waits', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 10_000 });
  const peers = Array.from({ length: 6 }, (_, index) => `62812000${3000 + index}`);
  await acceptTexts(sql, ani, { prices: peers.map(() => 150), peers });
  const left: number[] = [];
  const { channels } = network(async () => {
    left.push(performance.now());
    await pause(70);
    return { outcome: 'sent' };
  });
  const lanes = lanesOver(sql, channels, 20);
  await waitFor(async () => expect(await sql`select * from dispatch`).toEqual([]));
  await lanes.close();

  const gaps = left.slice(1).map((at, index) => at - (left[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThan(48);
  const entries = await sql`select 1 from wallet_entries where kind = 'capture'`;
  expect(entries.length).toBeGreaterThan(1);
});

test('keeps a fast pace despite the time of claiming and settling, without exceeding it', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 100_000 });
  const peers = Array.from({ length: 300 }, (_, index) => `62812000${3000 + index}`);
  await acceptTexts(sql, ani, { prices: peers.map(() => 150), peers });
  const left: number[] = [];
  const { channels } = network(async () => {
    left.push(performance.now());
    return { outcome: 'sent' };
  });
  const lanes = lanesOver(sql, channels, 200);
  await waitFor(async () => expect(await sql`select * from dispatch`).toEqual([]));
  await lanes.close();

  // Within any period: the pace, and a tenth of a second more for a late turn.
  const catchUp = 1 + 200 * 0.1;
  for (const [index, at] of left.entries()) {
    const before = left.findIndex((other) => other > at - 500);
    expect(index - before).toBeLessThanOrEqual(200 * 0.5 + catchUp);
  }
  // One by one it was some 35 a second, on any machine.
  const seconds = ((left.at(-1) ?? 0) - (left[0] ?? 0)) / 1000;
  expect(left.length / seconds).toBeGreaterThan(40);
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}

test('reports no lag for a busy token, and lag of a due lane from the end of its worker', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 10_000 });
  await acceptTexts(sql, ani, { prices: [150, 150] });
  const { forever, letGo } = hangingAnswer();
  const { seen, channels } = network(() => forever);
  const lag = async () => (await laneLagSeconds(sql))[0]?.value ?? NaN;
  await changeLanes(sql, {}, { readyAt: agedBy('1 hour') });
  expect(await lag()).toBeGreaterThanOrEqual(3_600);
  await expect(checkLanes(sql)).rejects.toThrow();

  const lanes = lanesOver(sql, channels);
  await waitFor(() => expect(seen).not.toEqual([]));
  expect(await lag()).toBe(0);
  await checkLanes(sql);
  letGo();
  await lanes.close();

  const left = { owner: newId(), leaseUntil: ago('1 minute'), readyAt: ago('1 hour') };
  await changeLanes(sql, {}, left);
  expect(await lag()).toBeGreaterThanOrEqual(60);
  expect(await lag()).toBeLessThan(3_600);
});
