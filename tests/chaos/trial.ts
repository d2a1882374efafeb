import { setTimeout as pause } from 'node:timers/promises';
import { retrying } from '#server/infra/postgres/database.ts';
import { awayPhones, isSafe, openAsking } from './load/requests.ts';
import { type Journal, askTwiceAtOnce, askUntilAnswered, openJournal } from './load/clients.ts';
import { diceOf } from './faults/random.ts';
import { type Resources, type Kind, openResources } from './faults/resources.ts';
import { judge } from './judge.ts';
import { type FaultStats, decks, runFaults } from './faults/nemesis.ts';
import type { Broken } from './faults/rules.ts';
import { furnishSenders } from './load/senders.ts';
import { type RequestRouter, createRequestRouter } from './faults/request-router.ts';
import { until } from './waiting.ts';

export type Wanted = {
  seed: number;
  /** How long to send and strike; longer when not every fault has been dealt by then. */
  seconds: number;
  /** SQL run before the sending begins: a bug planted to see it caught. */
  plant?: string | undefined;
};

export type Outcome = {
  seed: number;
  kind: Kind;
  broken: Broken[];
  /** Requests, messages asked for, messages that stand, answers that came again. */
  asks: number;
  wishes: number;
  messages: number;
  replays: number;
  /** Requests with a try that nobody answered; messages handed to their phone more than once. */
  unsure: number;
  resubmitted: number;
  /** Messages given up and given back, that had arrived: put right by their receipts. */
  corrected: number;
  heard: Readonly<Record<string, number>>;
  faultStats: FaultStats;
  /** Until every queue was empty, after the sending and striking had ended. */
  drainedMs: number;
};

const CLIENTS = 8;
/** The pause after an answer, at most: some 300 messages a second in all. */
const THINK_MS_MAX = 150;
const DRAIN_MS_MAX = 180_000;
const ANSWERS_MS_MAX = 180_000;
/** Requests repeated once all is calm. */
const ASKED_AGAIN = 150;

/** The database belongs to the app in odd seeds, and stands apart, with two nodes, in even ones. */
export const kindOf = (seed: number): Kind => (seed % 2 === 0 ? 'apart' : 'own');

/** One run: send and strike, then calm, then judge. @throws Error when it cannot even come to rest. */
export async function runTrial({ seed, seconds, plant }: Wanted): Promise<Outcome> {
  const resources = await openResources(kindOf(seed));
  const journal = openJournal();
  let outcome: Outcome;
  try {
    if (plant !== undefined) await resources.owner.unsafe(plant);
    outcome = await runOn(resources, journal, { seed, seconds });
  } catch (error) {
    const said = resources.nodes.map((node) => `${node.name} said:\n${node.said.join('\n')}`);
    await resources.close().catch(() => undefined);
    throw new Error(`${String(error)}\n${said.join('\n')}`, { cause: error });
  }
  const unstopped = await resources.close();
  outcome.broken.push(
    ...unstopped.map((what): Broken => ({ rule: 'nothing left over', what })),
    ...resources.nodes
      .flatMap(({ deaths }) => deaths)
      .map((what): Broken => ({ rule: 'the app lives', what })),
  );
  return outcome;
}

async function runOn(
  resources: Resources,
  journal: Journal,
  { seed, seconds }: Pick<Wanted, 'seed' | 'seconds'>,
): Promise<Outcome> {
  const dice = diceOf(seed);
  const senders = await furnishSenders(resources.allAccountsSql);
  await bringPhones(resources, 'away');
  const requestRouter = createRequestRouter(resources.nodes, dice.apart('streets'));
  const calm = new AbortController();
  const gaveUp = new AbortController();
  const began = performance.now();
  const asking = openAsking(senders);
  const progress = () => (performance.now() - began) / (seconds * 1000);
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const own = dice.apart(`client ${client}`);
    while (!calm.signal.aborted) {
      const ask = asking.next(client, own, progress());
      journal.asks.push(ask);
      const twice = isSafe(ask) && !ask.cancel && own.chance(0.1);
      await (twice ? askTwiceAtOnce : askUntilAnswered)(requestRouter, journal, ask, gaveUp.signal);
      // Some forget that they were answered.
      if (isSafe(ask) && !ask.cancel && own.chance(0.1))
        await askUntilAnswered(requestRouter, journal, ask, gaveUp.signal);
      await pause(own.whole(0, THINK_MS_MAX));
    }
  });
  const struck = runFaults(resources, {
    requestRouter,
    dice: dice.apart('nemesis'),
    forMs: seconds * 1000,
  });
  const faultStats = await struck.finally(() => calm.abort());
  setTimeout(() => gaveUp.abort(), ANSWERS_MS_MAX).unref();
  await Promise.all(clients);

  // What may have left is given up before its phone is back: its receipt proves that wrong.
  await allLeft(resources);
  await bringPhones(resources, 'back');
  const drainedMs = await drained(resources);
  await askAgain(requestRouter, journal, dice.apart('again').shuffled(journal.asks));
  // Tables that grew within a minute have no statistics yet.
  await resources.owner`analyze`;
  const verdict = await judge(resources.allAccountsSql, journal);
  const { broken, messages, resubmitted, corrected } = verdict;
  broken.push(...unfired(resources.kind, faultStats, journal));
  if (corrected + verdict.expired === 0) {
    broken.push({ rule: 'every fault was dealt', what: 'never happened: a ttl that ran out' });
  }
  return {
    seed,
    kind: resources.kind,
    broken,
    asks: journal.asks.length,
    wishes: journal.asks.reduce((sum, { wishes }) => sum + wishes.length, 0),
    messages,
    replays: journal.replays,
    unsure: journal.asks.filter(({ unsure }) => unsure > 0).length,
    resubmitted,
    corrected,
    heard: Object.fromEntries([...journal.heard].toSorted(([a], [b]) => a.localeCompare(b))),
    faultStats,
    drainedMs,
  };
}

const bringPhones = ({ allAccountsSql }: Resources, where: 'away' | 'back') =>
  retrying(
    () => allAccountsSql`
      insert into sim_phones (phone, offline)
      select phone, ${where === 'away'}::boolean from unnest(${[...awayPhones]}::text[]) as phone
      on conflict (phone) do update set offline = excluded.offline`,
  );

/**
 * Waits until nothing is to be done any more: seen in one statement, so nothing hides between queues.
 * What does not drain in time is the judge's to tell.
 */
async function drained({ allAccountsSql }: Resources): Promise<number> {
  const began = performance.now();
  const empty = async () => {
    const [row] = await allAccountsSql<{ n: number }[]>`
      select (select count(*) from dispatch) + (select count(*) from outbox)
        + (select count(*) from sim_due)
        + (select count(*) from lanes where ready_at <= clock_timestamp()) as n`.catch(() => []);
    return row?.n === 0 ? true : undefined;
  };
  await until('the queues to drain', DRAIN_MS_MAX, empty).catch(() => undefined);
  return performance.now() - began;
}

/** Waits until nothing waits to be sent. */
const allLeft = ({ allAccountsSql }: Resources) =>
  until('the lanes to be empty', DRAIN_MS_MAX, async () => {
    const [row] = await allAccountsSql<{ n: number }[]>`
      select count(*)::int as n from dispatch`.catch(() => []);
    return row?.n === 0 ? true : undefined;
  }).catch(() => undefined);

/** What was answered once is answered the same for ever, and sends nothing new. */
async function askAgain(
  requestRouter: RequestRouter,
  journal: Journal,
  asks: Journal['asks'],
): Promise<void> {
  const answered = asks.filter(
    (ask) => isSafe(ask) && !ask.cancel && ask.wishes.every(({ fate }) => fate === 'accepted'),
  );
  for (const ask of answered.slice(0, ASKED_AGAIN)) {
    await askUntilAnswered(requestRouter, journal, ask, AbortSignal.timeout(ANSWERS_MS_MAX));
  }
}

/** A run in which something never happened proves nothing about it. */
function unfired(kind: Kind, faultStats: FaultStats, journal: Journal): Broken[] {
  const dealt = new Set(faultStats.injections.map(({ fault }) => fault));
  const missing: string[] = decks[kind].filter((fault) => !dealt.has(fault));
  if (faultStats.appKills < 5) missing.push(`five kills of the app (${faultStats.appKills})`);
  if (faultStats.met === 0) missing.push('a kill with requests under way');
  if (!journal.asks.some(({ unsure }) => unsure > 0)) missing.push('a request without an answer');
  if (journal.replays === 0) missing.push('a first answer given again');
  for (const code of ['saldo_short', 'token_limit_reached']) {
    const seen = journal.asks.some(({ wishes }) => wishes.some((wish) => wish.code === code));
    if (!seen) missing.push(`a refusal: ${code}`);
  }
  if (!journal.asks.some(({ cancelled }) => cancelled)) missing.push('a cancelled message');
  return missing.map((what) => ({
    rule: 'every fault was dealt',
    what: `never happened: ${what}`,
  }));
}
