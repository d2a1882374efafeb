import fc from 'fast-check';
import { expect } from 'vitest';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { openIntake, type Placed } from '#server/domains/messages/submit/accept.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { claimDue } from './support/app/fake-channel.ts';
import { test } from './support/database/database.ts';
import { type Customer, customerWith, orderOf } from './support/people/people.ts';
import { nextEpoch } from '#tests/support/app/lanes.ts';
import { giveSaldo } from '#tests/support/money/wallets.ts';

type ModelMessage = {
  price: number;
  /** `held` counts in the reserved part. */
  state: 'held' | 'captured' | 'released' | 'waived';
  status: 'queued' | Outcome;
  failure: string | null;
  /** Whether it may have left: a try is in progress, or its receipt is awaited, or never came. */
  left: 'no' | 'sending' | 'awaited' | 'in vain';
};

/** Expected wallet and messages in plain JavaScript. */
type Model = {
  available: number;
  held: number;
  messages: Map<string, ModelMessage>;
  keys: Map<string, { input: string; answer: Placed }>;
  posted: Map<string, number>;
};

type Real = { sql: Sql; ani: Customer; intake: ReturnType<typeof openIntake> };
type Command = fc.AsyncCommand<Model, Real>;

const command = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
});

const accepting = (key: string | undefined, prices: readonly number[]) =>
  command(`accept(${key ?? '-'}, [${prices.join(' ')}])`, async (model, { ani, intake }) => {
    const input = JSON.stringify(prices);
    const order = orderOf(ani, { prices, ...(key !== undefined && { key }) });
    const before = key === undefined ? undefined : model.keys.get(key);
    if (before && before.input !== input) {
      await expect(intake.accept(order)).rejects.toMatchObject({ code: 'idempotency_conflict' });
      return;
    }
    const placed = await intake.accept(order);
    if (before) {
      expect(placed).toEqual({ ...before.answer, replayed: true });
      return;
    }
    let accepted = 0;
    for (const [index, price] of prices.entries()) {
      const result = placed.results[index];
      const fits = price <= model.available;
      expect(result?.outcome).toBe(fits ? 'accepted' : 'saldo_short');
      if (!fits || !result) continue;
      accepted += 1;
      model.available -= price;
      model.held += price;
      model.messages.set(result.id, {
        price,
        state: 'held',
        status: 'queued',
        failure: null,
        left: 'no',
      });
    }
    expect(placed.saldo).toBe(model.available);
    if (key !== undefined && accepted > 0) model.keys.set(key, { input, answer: placed });
  });

const outcomes = ['sent', 'delivered', 'read', 'failed', 'cancelled', 'expired'] as const;
type Outcome = (typeof outcomes)[number];
type Report = { id: string; outcome: Outcome; failure: string | null };

const rankOf = (status: ModelMessage['status']) => {
  const ranks: Partial<Record<ModelMessage['status'], number>> = { sent: 1, delivered: 2, read: 3 };
  return ranks[status] ?? 0;
};
const isEnd = (status: ModelMessage['status']) =>
  status === 'failed' || status === 'cancelled' || status === 'expired';
/** A final state without the network's confirmation. */
const isAssumed = ({ status, failure }: ModelMessage) =>
  isEnd(status) && (status !== 'failed' || failure === 'no_answer');

function statusAfter(message: ModelMessage, reports: readonly Report[]): ModelMessage['status'] {
  const words = reports.map(({ outcome }) => outcome);
  const good = Math.max(...words.map(rankOf));
  const rank = rankOf(message.status);
  if (good >= 2) return Math.max(good, rank) === 3 ? 'read' : 'delivered';
  if (isEnd(message.status)) {
    const isProof = good === 1 && message.state === 'released' && isAssumed(message);
    return isProof ? 'sent' : message.status;
  }
  const bad = words.filter(isEnd).toSorted().at(-1);
  if (bad !== undefined && rank < 2) return bad;
  return good === 1 && rank === 0 ? 'sent' : message.status;
}

function reportToModel(model: Model, reports: readonly Report[]): void {
  const proved: [string, ModelMessage][] = [];
  for (const [id, mine] of Map.groupBy(reports, (one) => one.id)) {
    const message = model.messages.get(id);
    if (!message) continue;
    const next = statusAfter(message, mine);
    const failure = mine.map((one) => one.failure).find((one) => one !== null) ?? message.failure;
    if (rankOf(next) > 0) message.failure = null;
    else if (next === 'failed' && message.status !== 'failed') message.failure = failure;
    message.status = next;
    if (message.state === 'held' && next !== 'queued') {
      // A sent message is charged, also if the same call reports its failure.
      message.state = mine.some(({ outcome }) => rankOf(outcome) > 0) ? 'captured' : 'released';
      model.held -= message.price;
      if (message.state === 'released') model.available += message.price;
    } else if (message.state === 'released' && rankOf(next) > 0) proved.push([id, message]);
  }
  // Oldest first, while the balance lasts; after that only free ones are charged.
  let isShort = false;
  for (const [, message] of proved.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    isShort ||= message.price > model.available;
    message.state = isShort && message.price > 0 ? 'waived' : 'captured';
    if (message.state === 'captured') model.available -= message.price;
  }
}

type Pick = { at: number; outcome: Outcome; isSilent: boolean };
const pickedFrom = ({ messages }: Model, picks: readonly Pick[]): Report[] => {
  const ids = [...messages.keys()];
  return ids.length === 0
    ? []
    : picks.map(({ at, outcome, isSilent }) => ({
        id: ids[at % ids.length] ?? '',
        outcome,
        failure: outcome === 'failed' && isSilent ? 'no_answer' : null,
      }));
};

/** Reports outcomes of random messages, including repeated, late and contradictory ones. */
const settling = (picks: readonly Pick[]) =>
  command(`settle(${JSON.stringify(picks)})`, async (model, { sql, ani }) => {
    const reports = pickedFrom(model, picks);
    if (reports.length === 0) return;
    await sql`select count(*) from settle_batch(
      ${ani.accountId}, null, null,
      ${reports.map(({ id }) => id)}::uuid[], ${reports.map(({ outcome }) => outcome)}::text[],
      ${reports.map(({ failure }) => failure)}::text[], ${reports.map(() => null)}::timestamptz[])`;
    reportToModel(model, reports);
  });

const sending = (limit: number) =>
  command(`send(${limit})`, async (model, real) => {
    const { sql, ani } = real;
    const epoch = await nextEpoch(real.sql, real.ani);
    for (const id of await claimDue(sql, ani, { epoch, limit })) {
      const message = model.messages.get(id);
      expect(message?.status).toBe('queued');
      if (message) message.left = 'sending';
    }
  });

const dying = (isPatient: boolean, preallocates: boolean) =>
  command(`die(${isPatient} ${preallocates})`, async (model, real) => {
    const { sql, ani } = real;
    const epoch = await nextEpoch(real.sql, real.ani);
    await sql`select recover_lane(
      ${ani.accountId}, ${ani.tokenId}, ${epoch}, ${preallocates}, ${isPatient ? 3_600_000 : 0})`;
    for (const message of model.messages.values()) {
      if (message.left === 'sending') message.left = isPatient ? 'awaited' : 'in vain';
    }
  });

/** Cancels or expires messages; those that may have left stay. */
const withdrawing = (picks: readonly number[], outcome: 'cancelled' | 'expired') =>
  command(`withdraw(${picks.join(' ')}, ${outcome})`, async (model, { sql, ani }) => {
    const all = pickedFrom(
      model,
      picks.map((at) => ({ at, outcome, isSilent: false })),
    );
    if (all.length === 0) return;
    const ids = [...new Set(all.map(({ id }) => id))];
    await sql`select withdraw_messages(${ani.accountId}, ${ids}::uuid[], ${outcome})`;
    const reports = ids.flatMap((id): Report[] => {
      const message = model.messages.get(id);
      if (message?.status !== 'queued') return [];
      if (message.left === 'no') return [{ id, outcome, failure: null }];
      const isOver = message.left === 'in vain' && outcome === 'expired';
      return isOver ? [{ id, outcome: 'failed', failure: 'no_answer' }] : [];
    });
    reportToModel(model, reports);
  });

/** A bonus or a correction under an idempotency key that may be reused. */
const posting = (key: string, delta: number) =>
  command(`post(${key}, ${delta})`, async (model, { sql, ani }) => {
    const post = sql.begin((tx) =>
      giveSaldo(tx, ani.accountId, delta, {
        ...(delta < 0 && { kind: 'adjust', contra: 'exp:fee' }),
        idemKey: key,
        memo: 'Koreksi',
      }),
    );
    const before = model.posted.get(key);
    if (before !== undefined && before !== delta) {
      await expect(post).rejects.toMatchObject({ code: 'WA002' });
    } else if (before === undefined && model.available + delta < 0) {
      await expect(post).rejects.toMatchObject({ constraint: 'saldo_not_negative' });
    } else {
      expect((await post).applied).toBe(before === undefined);
      if (before === undefined) model.available += delta;
      model.posted.set(key, delta);
    }
  });

const key = fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined });
const commands = fc.commands(
  [
    fc
      .tuple(key, fc.array(fc.constantFrom(0, 75, 150, 400, 5000), { minLength: 1, maxLength: 6 }))
      .map(([k, prices]) => accepting(k, prices)),
    fc
      .array(
        fc.record({
          at: fc.nat(40),
          outcome: fc.constantFrom(...outcomes),
          isSilent: fc.boolean(),
        }),
        { minLength: 1, maxLength: 8 },
      )
      .map(settling),
    fc.integer({ min: 1, max: 3 }).map(sending),
    fc
      .tuple(fc.boolean(), fc.boolean())
      .map(([isPatient, preallocates]) => dying(isPatient, preallocates)),
    fc
      .tuple(
        fc.array(fc.nat(40), { minLength: 1, maxLength: 6 }),
        fc.constantFrom('cancelled' as const, 'expired' as const),
      )
      .map(([picks, outcome]) => withdrawing(picks, outcome)),
    fc
      .tuple(fc.constantFrom('x', 'y', 'z'), fc.constantFrom(1000, 300, -200, -9000))
      .map(([k, delta]) => posting(k, delta)),
  ],
  { maxCommands: 50 },
);

test('keeps the wallet equal to a plain model for any accepting, settling and posting', async ({
  sql,
}) => {
  await fc.assert(
    fc.asyncProperty(commands, async (steps) => {
      const ani = await customerWith(sql, { saldo: 2000, dailyLimit: 100_000 });
      const model: Model = {
        available: 2000,
        held: 0,
        messages: new Map(),
        keys: new Map(),
        posted: new Map(),
      };
      const intake = openIntake(sql, () => undefined);
      await fc.asyncModelRun(() => ({ model, real: { sql, ani, intake } }), steps);

      const [wallet] = await sql`
        select available, held from wallets where account_id = ${ani.accountId}`;
      expect(wallet).toEqual({ available: model.available, held: model.held });
      const states = await sql<{ message_id: string; charge_state: string; status: string }[]>`
        select message_id, charge_state, status from messages where account_id = ${ani.accountId}`;
      expect(
        new Map(states.map((row) => [row.message_id, `${row.status} ${row.charge_state}`])),
      ).toEqual(
        new Map([...model.messages].map(([id, { status, state }]) => [id, `${status} ${state}`])),
      );
    }),
    { numRuns: 40 },
  );
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});

test('keeps the counts equal to the messages they count', async ({ sql }) => {
  await fc.assert(
    fc.asyncProperty(commands, async (steps) => {
      const ani = await customerWith(sql, { saldo: 2000, dailyLimit: 100_000 });
      const model: Model = {
        available: 2000,
        held: 0,
        messages: new Map(),
        keys: new Map(),
        posted: new Map(),
      };
      const intake = openIntake(sql, () => undefined);
      await fc.asyncModelRun(() => ({ model, real: { sql, ani, intake } }), steps);
      const paid = await sql`
        select status, sum(messages)::int as n, sum(cost)::int as cost from message_counts
        where account_id = ${ani.accountId}
        group by status having sum(messages) <> 0 or sum(cost) <> 0 order by status`;
      expect(paid).toEqual(
        await sql`
        select status, count(*)::int as n, sum(
          case when charge_state in ('released', 'waived') then 0 else price end)::int as cost
        from messages where account_id = ${ani.accountId} group by status order by status`,
      );
      const expected = paid.map(({ status, n }) => ({ status, n }));
      const sums = await sql`
        select distinct status, sum(messages)::int as n from message_count_sums
        where account_id = ${ani.accountId}
        group by grain, status having sum(messages) <> 0 order by status`;
      expect(sums).toEqual(expected);
    }),
    { numRuns: 15 },
  );
});

test('conserves money and stores every accepted message once under many concurrent writers', async ({
  sql,
}) => {
  const people = await Promise.all(
    [1, 2, 3].map(() => customerWith(sql, { saldo: 20_000, dailyLimit: 100_000 })),
  );
  const accepters = [openIntake(sql, () => undefined), openIntake(sql, () => undefined)];
  const accepted: string[] = [];
  const work = Array.from({ length: 120 }, async (_, index) => {
    const ani = people[index % people.length];
    if (!ani) return;
    const prices = [150, 75, 300].slice(0, 1 + (index % 3));
    const placed = await accepters[index % 2]?.accept(
      orderOf(ani, { prices, key: `k${index % 50}` }),
    );
    const ids =
      placed?.results.flatMap(({ id, outcome }) => (outcome === 'accepted' ? [id] : [])) ?? [];
    accepted.push(...ids);
    await sql`select count(*) from settle_batch(
      ${ani.accountId}, null, null, ${ids}::uuid[],
      ${ids.map((_id, at) => ((index + at) % 3 === 0 ? 'failed' : 'sent'))}::text[],
      ${ids.map(() => null)}::text[], ${ids.map(() => null)}::timestamptz[])`;
  });
  await Promise.allSettled(work);

  const expected = await sql<{ message_id: string }[]>`select message_id from messages`;
  expect(new Set(expected.map((row) => row.message_id))).toEqual(new Set(accepted));
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});
