import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Subscription } from '#server/infra/acts.ts';
import { Feeds, type Page, type Position } from './feeds.ts';

const BEHIND_MAX = 500;
const PAGE_EVENTS = 100;

class Accounts {
  readonly #accounts = new Map<string, { last: number; erased: Set<number> }>();

  of(accountId: string) {
    const account = this.#accounts.get(accountId) ?? { last: 0, erased: new Set() };
    this.#accounts.set(accountId, account);
    return account;
  }

  /** Existing positions after one, up to another. */
  between(accountId: string, after: number, upTo: number): number[] {
    const { erased } = this.of(accountId);
    const all = Array.from({ length: Math.max(0, upTo - after) }, (_, n) => after + 1 + n);
    return all.filter((position) => !erased.has(position));
  }

  page({ accountId, since }: Position): Page {
    const { last } = this.of(accountId);
    if (since > last || last - since > BEHIND_MAX) {
      const bytes = () => Buffer.from(`reset ${last}\n`);
      return { upTo: last, isReset: true, isLast: true, bytes };
    }
    const positions = this.between(accountId, since, last).slice(0, PAGE_EVENTS);
    const isLast = positions.length < PAGE_EVENTS;
    const upTo = isLast ? last : (positions.at(-1) ?? last);
    const bytes = (after = since) =>
      Buffer.from(
        positions
          .filter((position) => position > after)
          .map((position) => `event ${position}\n`)
          .join(''),
      );
    return { upTo, isReset: false, isLast, bytes };
  }
}

type Stream = {
  accountId: string;
  since: number;
  /** It claimed to have a position that the account had not reached. */
  isLost: boolean;
  text: string;
  room: number;
  hasEnded: boolean;
  subscription?: Subscription;
};

type World = {
  accounts: Accounts;
  feeds: Feeds;
  streams: Stream[];
  wrong: string[];
  failures: number;
};

function openWorld(scheduler: fc.Scheduler): World {
  const accounts = new Accounts();
  /** Other steps may run before the read reaches the database, and before its result arrives. */
  const read = async <T>(work: () => T): Promise<T> => {
    await scheduler.schedule(Promise.resolve(), 'the read');
    const answer = work();
    return scheduler.schedule(Promise.resolve(answer), 'its answer');
  };
  const world: World = {
    accounts,
    streams: [],
    wrong: [],
    failures: 0,
    feeds: new Feeds({
      readShared: (positions) =>
        read(() => {
          if (world.failures > 0) {
            world.failures -= 1;
            throw new Error('the database is away');
          }
          return positions.map((position) => accounts.page(position));
        }),
      readOwn: (position) => read(() => accounts.page(position)),
      report: () => undefined,
    }),
  };
  return world;
}

function join(world: World, accountId: string, since: number): void {
  const { accounts, feeds, streams, wrong } = world;
  const isLost = since > accounts.of(accountId).last;
  const stream: Stream = { accountId, since, isLost, text: '', room: 2, hasEnded: false };
  streams.push(stream);
  stream.subscription = feeds.follow(stream, {
    write: (bytes) => {
      if (stream.room === 0) wrong.push('written to although it takes nothing');
      if (stream.hasEnded) wrong.push('written to although it has ended');
      stream.text += bytes.toString();
      stream.room -= 1;
      return stream.room > 0;
    },
    end: () => (stream.hasEnded = true),
  });
}

/** A sink may drain at any time, also when the stream was not full. */
const take = (stream: Stream): void => {
  stream.room = 2;
  stream.subscription?.resume();
};

function judge(accounts: Accounts, { accountId, since, isLost, text }: Stream): string[] {
  const { last } = accounts.of(accountId);
  let at = since;
  for (const line of text.split('\n').slice(0, -1)) {
    const [kind, position] = [line.split(' ')[0], Number(line.split(' ')[1])];
    const missing = accounts.between(accountId, at, position - 1);
    if (kind === 'event' && position <= at) return [`${position} came after ${at}`];
    if (kind === 'event' && missing.length > 0) return [`${position} came without ${missing[0]}`];
    if (kind === 'reset' && last <= BEHIND_MAX && !isLost) return ['a reset without a cause'];
    at = position;
  }
  const missing = accounts.between(accountId, at, last);
  return missing.length > 0 ? [`${missing[0]} never came, after ${at} of ${last}`] : [];
}

const account = fc.constantFrom('ani', 'budi');
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('publish'), account, hint: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('publish many'), account }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('erase'), account, at: fc.nat(900) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('join'), account, since: fc.option(fc.nat(40)) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('leave', 'take'), at: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('look', 'hint all', 'fail') }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('go on'), times: fc.nat(4) }) },
);
type Step = {
  do: string;
  account?: string;
  hint?: boolean;
  since?: number | null;
  at?: number;
  times?: number;
};

/** The hub does this every five seconds. */
function look({ accounts, feeds }: World): void {
  for (const { accountId, since } of feeds.positions()) {
    if (accounts.of(accountId).last > since) feeds.hint(accountId);
  }
}

async function perform(world: World, scheduler: fc.Scheduler, step: Step): Promise<void> {
  const { accounts, feeds, streams } = world;
  const { account = '', at = 0 } = step;
  const one = streams[at % Math.max(1, streams.length)];
  switch (step.do) {
    case 'publish':
      accounts.of(account).last += 1;
      if (step.hint) feeds.hint(account);
      break;
    case 'publish many':
      accounts.of(account).last += 260;
      feeds.hint(account);
      break;
    case 'erase':
      accounts.of(account).erased.add(at % (accounts.of(account).last + 1));
      break;
    case 'join':
      join(world, account, step.since ?? Number.MAX_SAFE_INTEGER);
      break;
    case 'leave':
      one?.subscription?.cancel();
      if (one) one.hasEnded = true;
      break;
    case 'take':
      if (one) take(one);
      break;
    case 'look':
      look(world);
      break;
    case 'hint all':
      feeds.hintAll();
      break;
    case 'fail':
      world.failures = 1;
      break;
    default:
      for (let n = step.times ?? 0; n > 0 && scheduler.count() > 0; n--) await scheduler.waitOne();
  }
}

/** A lost hint or a failed read, which only the next look repairs. */
const isLoss = (one: Step): boolean => one.do === 'fail' || one.hint === false;

test.each([
  ['whatever happens', true],
  ['without a look, while no hint is lost', false],
])(
  '%s, a stream gets each event after its position once and in order, or a reset',
  async (_, mayLose) => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(step, { maxLength: 60 }),
        async (scheduler, steps) => {
          const world = openWorld(scheduler);
          for (const one of steps) {
            if (mayLose || !(isLoss(one) || one.do === 'look'))
              await perform(world, scheduler, one);
          }
          world.failures = 0;
          const open = world.streams.filter(({ hasEnded }) => !hasEnded);
          for (let rounds = 0; rounds < 20; rounds++) {
            if (mayLose) look(world);
            for (const stream of open) take(stream);
            await scheduler.waitIdle();
          }
          expect([...world.wrong, ...open.flatMap((one) => judge(world.accounts, one))]).toEqual(
            [],
          );
          expect(world.feeds.size).toBe(open.length);
        },
      ),
      { numRuns: 5_000 },
    );
  },
);

function countingFeeds() {
  const accounts = new Accounts();
  const count = { shared: 0, own: 0 };
  const feeds = new Feeds({
    readShared: async (positions) => {
      count.shared += 1;
      return positions.map((position) => accounts.page(position));
    },
    readOwn: async (position) => {
      count.own += 1;
      return accounts.page(position);
    },
    report: () => undefined,
  });
  return { accounts, count, feeds };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('reads new events with one statement, for any number of streams and accounts', async () => {
  const { accounts, count, feeds } = countingFeeds();
  const texts: string[] = [];
  for (const accountId of ['ani', 'budi']) {
    for (let n = 0; n < 50; n++) {
      const write = (bytes: Buffer) => texts.push(bytes.toString()) > 0;
      feeds.follow({ accountId, since: 0 }, { write, end: () => undefined });
    }
  }
  await settled();
  expect(count).toEqual({ shared: 0, own: 100 });
  accounts.of('ani').last = 2;
  accounts.of('budi').last = 2;
  feeds.hintAll();
  await settled();
  // The first was read at once; later hints share one read.
  expect(count).toEqual({ shared: 2, own: 100 });
  expect(texts).toEqual(Array.from({ length: 100 }, () => 'event 1\nevent 2\n'));
  feeds.follow({ accountId: 'ani', since: 2 }, { write: () => true, end: () => undefined });
  await settled();
  expect(count).toEqual({ shared: 2, own: 101 });
});

test('a stream at the newest event gets no reset, however many events there were', async () => {
  const { accounts, feeds } = countingFeeds();
  accounts.of('ani').last = 600;
  const texts: string[] = [];
  const write = (bytes: Buffer) => texts.push(bytes.toString()) > 0;
  feeds.follow({ accountId: 'ani', since: 600 }, { write, end: () => undefined });
  await settled();
  accounts.of('ani').last += 1;
  feeds.hint('ani');
  await settled();
  expect(texts).toEqual(['event 601\n']);
});
