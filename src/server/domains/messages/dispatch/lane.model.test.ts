import fc from 'fast-check';
import { expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import type { SendResult } from '#server/domains/channels/channels.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { expireMessages } from '#server/domains/messages/messages.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { lanesOver, network, phones, acceptTexts } from '#tests/support/app/fake-channel.ts';
import {
  type Answer,
  Model,
  PRICE,
  type Row,
  answers,
  hadNoAnswer,
  receipts,
  viewOf,
} from '#tests/support/app/lane-model.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { type Customer, customerWith } from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { withdraw } from './withdraw.ts';
import { applyReceipts } from './settle.ts';
import { changeDispatch, changeLanes, passWaits, wakeLanes } from '#tests/support/app/lanes.ts';
import { ago, plus } from '#tests/support/database/changes.ts';

const HOUR = 3_600_000;
const SALDO = 100_000;
const PHONES = phones(3);

/** A worker's connection that fails once the worker is dead. */
function mortal(sql: Sql): { sql: Sql; die: () => void } {
  let isDead = false;
  const proxy = new Proxy(sql, {
    apply: (target, self, given: Parameters<Sql>) => {
      if (!isDead) return Reflect.apply(target, self, given) as unknown;
      const dead = Promise.reject(new Error('the worker is dead'));
      dead.catch(() => undefined);
      return dead;
    },
  });
  return { sql: proxy, die: () => (isDead = true) };
}

/** The workers of one number, and the network by which they send. */
class Real {
  readonly #db: TestDatabase;
  readonly #ani: Customer;
  readonly #model: Model;
  readonly #seen: { id: string; mayArriveTwice: boolean }[] = [];
  /** Resolves the tries of the lane's present owner, by message id. */
  readonly #flying = new Map<string, PromiseWithResolvers<SendResult>>();
  /** Resolves the tries of former owners. */
  readonly #lost: PromiseWithResolvers<SendResult>[] = [];
  /** Pause of the number after a try without an answer. */
  #stillMs = 0;
  #isOver = false;
  #workers: (ReturnType<typeof lanesOver> & { die: () => void })[] = [];
  readonly #closing: Promise<unknown>[] = [];

  constructor(db: TestDatabase, ani: Customer, model: Model) {
    this.#db = db;
    this.#ani = ani;
    this.#model = model;
    this.start();
  }

  /** Starts workers; with a short time-out their network never answers. */
  start(workers = 2, timeoutMs = HOUR): void {
    const model = this.#model;
    const { preallocates } = model;
    const { channels } = network(
      ({ messageId: id, possibleDuplicate: mayArriveTwice }) => {
        if (this.#isOver) throw new Error('the test is over');
        this.#seen.push({ id, mayArriveTwice });
        const answer = Promise.withResolvers<SendResult>();
        const former = this.#flying.get(id);
        if (former) this.#lost.push(former);
        if (timeoutMs === HOUR) this.#flying.set(id, answer);
        return answer.promise;
      },
      { preallocates, timeoutMs },
    );
    const channel = channels.get('simulator');
    if (!channel) throw new Error('no channel');
    const remaining = { none: undefined, still: HOUR, probing: 0 };
    const pauses = {
      remainingMs: async () => remaining[model.pause],
      probe: async () => 0,
      silent: async () => this.#stillMs,
    };
    channels.set('simulator', { ...channel, pauses });
    this.#workers = Array.from({ length: workers }, () => {
      const { sql, die } = mortal(this.#db.allAccountsSql);
      return { ...lanesOver(sql, channels), die };
    });
  }

  async place(peers: readonly string[], priority: 0 | 1, hasTtl: boolean): Promise<string[]> {
    const prices = peers.map(() => PRICE);
    const expiresAt = new Date(Date.now() + HOUR);
    const batch = { prices, peers, priority, ...(hasTtl && { expiresAt }) };
    const { results } = await acceptTexts(this.#db.allAccountsSql, this.#ani, batch);
    return results.map(({ id }) => id);
  }

  answer(ids: readonly string[], answer: Answer): void {
    this.#stillMs = answer === 'outage' ? HOUR : 0;
    for (const id of ids) {
      const flying = this.#flying.get(id);
      this.#flying.delete(id);
      if (flying) reply(flying, answer);
    }
  }

  answerLost(answer: Answer): void {
    for (const flying of this.#lost.splice(0)) reply(flying, answer);
  }

  /** Gives the lane to another worker, without the knowledge of the former one. */
  async lose(): Promise<void> {
    this.#loseFlying();
    const unowned = { epoch: plus(1), owner: null, leaseUntil: null, readyAt: 'now' };
    await changeLanes(this.#db.owner, this.#ani, unowned);
  }

  #loseFlying(): void {
    this.#lost.push(...this.#flying.values());
    this.#flying.clear();
  }

  /** Kills the workers; others take the lane once its lease has ended. */
  async crash(workers?: number, timeoutMs?: number): Promise<void> {
    this.#loseFlying();
    for (const worker of this.#workers) worker.die();
    void this.close();
    this.#stillMs = 0;
    const [former] = await this.#db.owner<{ epoch: number }[]>`
      ${changeLanes(this.#db.owner, this.#ani, { leaseUntil: ago('1 second'), readyAt: 'now' })}
      returning epoch`;
    this.start(workers, timeoutMs);
    await waitFor(async () => {
      const [lane] = await this.#db.owner<{ epoch: number }[]>`
        select epoch from lanes where account_id = ${this.#ani.accountId}`;
      expect(lane?.epoch).toBeGreaterThan(former?.epoch ?? 0);
    });
  }

  /** Resolves when the present workers are closed: every try of theirs is answered. */
  close(): Promise<unknown> {
    const closed = Promise.all(this.#workers.splice(0).map((worker) => worker.close()));
    this.#closing.push(closed);
    return closed;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.#loseFlying();
    this.answerLost('failed');
    void this.close();
    await Promise.all(this.#closing);
  }

  receive = (messageId: string, status: (typeof receipts)[number]) =>
    applyReceipts(this.#db.allAccountsSql, [
      {
        accountId: this.#ani.accountId,
        messageId,
        status,
        at: new Date(),
        ...(status === 'failed' && { failure: 'rejected' as const }),
      },
    ]);

  async cancel(messageId: string): Promise<string | undefined> {
    try {
      await withdraw(this.#db.tenantSql, this.#ani.accountId, messageId);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      throw error;
    }
  }

  async expire(ids: readonly string[]): Promise<void> {
    for (const messageId of ids) {
      await changeDispatch(this.#db.owner, { messageId }, { expiresAt: 'now' });
    }
    await expireMessages(this.#db.allAccountsSql);
  }

  passTime = () => passWaits(this.#db.owner, this.#ani.accountId);

  async wake(): Promise<void> {
    await wakeLanes(this.#db.owner, this.#ani);
    for (const worker of this.#workers) {
      worker.wake([this.#ani.tokenId]);
      worker.wake();
    }
  }

  async view() {
    const { accountId } = this.#ani;
    const { owner } = this.#db;
    const rows = await owner<Row[]>`
      select m.status, m.charge_state as charge, m.failure, m.possible_duplicate as twice, d.state,
        d.ready_at <= clock_timestamp() as due, d.unsure_until > clock_timestamp() as awaited
      from messages m left join dispatch d using (account_id, message_id)
      where m.account_id = ${accountId} order by m.message_id`;
    const [wallet] =
      await owner`select available, held from wallets where account_id = ${accountId}`;
    const handed = this.#model.handedOf(this.#seen.map(({ id }) => id));
    const [lane] = await owner<{ isFree: boolean }[]>`
      select owner is null as "isFree" from lanes where account_id = ${accountId}`;
    // A lane of a paused number is released once its last try is answered.
    const isResting = this.#model.isResting() && lane?.isFree === true;
    return { wallet, isResting, messages: rows.map(viewOf), handed };
  }

  marksOf = (id: string) =>
    this.#seen.filter((one) => one.id === id).map(({ mayArriveTwice }) => mayArriveTwice);

  /** Status changes to a lower rank, except from an end that was proved wrong. */
  fallen = () => this.#db.owner`
    select c.before, c.after from outbox o
    cross join lateral unnest(o.statuses_before, o.statuses) as c(before, after)
    where o.account_id = ${this.#ani.accountId} and o.kind = 'message.changed'
      and status_rank(c.after) <= status_rank(c.before)
      and not (c.before in ('failed', 'cancelled', 'expired') and c.after = 'sent')`;
}

const results: Partial<Record<Answer, SendResult>> = {
  sent: { outcome: 'sent' },
  failed: { outcome: 'failed', failure: 'rejected' },
  later: { outcome: 'later', afterMs: HOUR, failure: 'rate_limited' },
  held: { outcome: 'held', afterMs: HOUR, failure: 'rate_limited', stops: false },
  stop: { outcome: 'held', afterMs: HOUR, failure: 'rate_limited', stops: true },
};
function reply(flying: PromiseWithResolvers<SendResult>, answer: Answer): void {
  const result = results[answer];
  if (result) flying.resolve(result);
  else flying.reject(new Error('no answer'));
}

type Step =
  | { does: 'place'; phones: number[]; priority: 0 | 1; hasTtl: boolean }
  | { does: 'answer'; at: number; count: number; answer: Answer }
  | { does: 'receipt'; at: number; status: (typeof receipts)[number] }
  | { does: 'cancel' | 'expire'; at: number }
  | { does: 'lose'; answer: Answer; isAnswered: boolean }
  | { does: 'crash' | 'deafen' | 'resume' | 'pass time' };

const at = fc.nat(40);
const bool = fc.boolean();
const of = <const T>(...list: readonly T[]) => fc.constantFrom(...list);
const steps = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<T>(model, { noNullPrototype: true });
const to = fc.array(fc.nat(PHONES.length - 1), { minLength: 1, maxLength: 4 });
const step = fc.oneof(
  steps(5, record({ does: of('place'), phones: to, priority: of(1, 1, 0), hasTtl: bool })),
  steps(9, record({ does: of('answer'), at, count: of(1, 2, 3), answer: of(...answers) })),
  steps(3, record({ does: of('receipt'), at, status: of(...receipts) })),
  steps(5, record({ does: of('cancel', 'expire'), at })),
  steps(2, record({ does: of('lose'), answer: of(...answers), isAnswered: bool })),
  steps(2, record({ does: of('crash') })),
  steps(1, record({ does: of('deafen') })),
  steps(3, record({ does: of('resume') })),
  steps(4, record({ does: of('pass time') })),
);

const some = <T>(list: readonly T[], from: number, count = 1): T[] =>
  list.length === 0
    ? []
    : [...list, ...list].slice(from % list.length).slice(0, Math.min(count, list.length));

/** Performs a step on the model and on the lane, and waits until both agree. */
async function perform(model: Model, real: Real, one: Step): Promise<void> {
  if (one.does === 'place') {
    const { priority, hasTtl } = one;
    const ids = await real.place(
      one.phones.map((nth) => PHONES[nth] ?? ''),
      priority,
      hasTtl,
    );
    for (const [index, id] of ids.entries()) {
      model.place({ id, phone: one.phones[index] ?? 0, priority, hasTtl });
    }
  } else if (one.does === 'answer') {
    const tries = some(model.inFlight(), one.at, one.count);
    const isOutage = one.answer === 'silent' && tries.some(({ isProbe }) => isProbe);
    const answer = isOutage ? 'outage' : one.answer;
    for (const each of tries) model.answer(each, answer);
    real.answer(
      tries.map(({ message }) => message.id),
      answer,
    );
  } else if (one.does === 'receipt') {
    const handed = model.messages.filter(({ id }) =>
      model.tries.some(({ message }) => message.id === id),
    );
    for (const message of some(handed, one.at)) {
      model.settle(message, one.status, one.status === 'failed' ? 'rejected' : null);
      await real.receive(message.id, one.status);
    }
  } else if (one.does === 'cancel') {
    for (const message of some(one.at % 4 === 0 ? model.messages : model.open(), one.at)) {
      const refusal = model.cancel(message);
      expect(await real.cancel(message.id)).toBe(refusal);
    }
  } else if (one.does === 'expire') {
    const expired = some(
      model.open().filter(({ hasTtl }) => hasTtl),
      one.at,
      3,
    );
    for (const message of expired) message.isExpired = true;
    model.expire();
    await real.expire(expired.map(({ id }) => id));
  } else if (one.does === 'lose') {
    model.lose('awaited');
    await real.lose();
    if (one.isAnswered) real.answerLost(one.answer);
  } else if (one.does === 'crash') {
    model.lose('awaited');
    await real.crash();
  } else if (one.does === 'deafen' && model.pause === 'none') {
    model.lose('in vain');
    model.exhaustTries();
    await real.crash(1, 5);
    await agree(model, real);
    await real.close();
    real.start();
  } else if (one.does === 'resume' && model.isResting()) {
    model.pause = 'probing';
  } else if (one.does === 'pass time') {
    model.passTime();
    await real.passTime();
  }
  model.claim();
  await real.wake();
  await agree(model, real);
}

const agree = (model: Model, real: Real) =>
  waitFor(async () => expect(await real.view()).toEqual(model.view()));

async function finish(model: Model, real: Real): Promise<void> {
  for (let turn = 0; model.open().length + model.inFlight().length > 0; turn++) {
    expect(turn, 'turns until every message has ended').toBeLessThan(200);
    if (model.inFlight().length > 0) {
      await perform(model, real, { does: 'answer', at: 0, count: 99, answer: 'sent' });
    } else await perform(model, real, { does: model.pause === 'still' ? 'resume' : 'pass time' });
  }
  await real.end();
  await agree(model, real);
}

/** Checks the limits on tries without the model's rules. */
function checkTries(model: Model, real: Real): void {
  for (const one of model.messages) {
    const tries = model.tries.filter(({ message }) => message === one);
    // A refusal is not definite while the receipt of an earlier try is awaited.
    const definite = tries.findIndex(
      ({ answer, receipt }) => answer === 'sent' || (answer === 'failed' && receipt !== 'awaited'),
    );
    expect([-1, tries.length - 1]).toContain(definite);
    if (model.preallocates) continue;
    // A missing answer of a paused number does not count.
    const unknown = tries.filter(
      (each) => hadNoAnswer(each) && !each.isProbe && each.answer !== 'outage',
    );
    expect(unknown.length).toBeLessThanOrEqual(2);
    expect(real.marksOf(one.id)).toEqual(
      tries.map((_, index) => tries.slice(0, index).some(hadNoAnswer)),
    );
  }
}

/** A failure names its seed: repeat it with SEED, or run more with RUNS. */
test('sends, settles and charges as the model does under lost answers, crashes and lost leases', async ({
  db,
}) => {
  const { SEED, TEST_ALL, RUNS = TEST_ALL === '1' ? '10' : '5' } = process.env;
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(step, { minLength: 25, maxLength: 25 }),
      async (preallocates, steps) => {
        const ani = await customerWith(db.allAccountsSql, { saldo: SALDO });
        const model = new Model({ preallocates, saldo: SALDO });
        const real = new Real(db, ani, model);
        try {
          for (const one of steps) await perform(model, real, one);
          await finish(model, real);
        } finally {
          await real.end();
        }
        checkTries(model, real);
        expect(await real.fallen()).toEqual([]);
        expect(model.view().wallet.held).toBe(0);
      },
    ),
    { numRuns: Number(RUNS), endOnFailure: true, ...(SEED && { seed: Number(SEED) }) },
  );
  expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);
});
