import { setTimeout as pause } from 'node:timers/promises';
import { retrying } from '#server/infra/postgres/database.ts';
import { awayPhones, isSafe, createWorkload } from './load/requests.ts';
import { type Journal, sendTwiceAtOnce, sendUntilAnswered, openJournal } from './load/clients.ts';
import { seededRandom } from './faults/random.ts';
import { openClusterResources } from './faults/cluster.ts';
import { type Kind, type Options, type Resources, openResources } from './faults/resources.ts';
import { judge } from './judge.ts';
import { type FaultStats, faultsOf, runFaults } from './faults/nemesis.ts';
import type { Broken } from './faults/rules.ts';
import { type Senders, createSenders } from './load/senders.ts';
import { type RequestRouter, createRequestRouter } from './faults/request-router.ts';
import { type Receiver, openReceiver } from './webhooks/receiver.ts';
import { waitFor } from '#tests/support/wait-for.ts';

export type ScenarioOptions = {
  seed: number;
  /** Duration of load and faults; longer if something has not happened by then. */
  seconds: number;
  /** Longest pause of a client after an answer, in ms; 150 by default, which sends some 300 messages a second. */
  thinkMsMax?: number | undefined;
  plant?: string | undefined;
  /** A superuser's address of a cluster, in which the run distributes its own database. */
  citusUrl?: string | undefined;
};

export type Outcome = {
  seed: number;
  kind: Kind;
  broken: Broken[];
  requests: number;
  requested: number;
  messages: number;
  replays: number;
  /** Requests with an unanswered try; messages handed to their phone more than once. */
  unsure: number;
  resubmitted: number;
  /** Messages given up and refunded that had arrived: corrected by their receipts. */
  corrected: number;
  answers: Readonly<Record<string, number>>;
  faultStats: FaultStats;
  webhooks: { events: number; posts: number };
  /** Time from the end of load and faults until every queue was empty. */
  drainedMs: number;
};

const CLIENTS = 8;
const CLOCK_SECONDS = 300;
const THINK_MS_MAX = 150;
const DRAIN_PATIENCE_MS = 180_000;
const ANSWERS_MS_MAX = 180_000;
const REPEATED_REQUESTS = 150;

/** Odd seeds: the app runs its own database. Even seeds: a separate one with two nodes. */
const kindOf = (seed: number) => (seed % 2 === 0 ? 'apart' : 'own');

/** One run: sends under faults, drains, then judges. @throws Error if it never drains. */
export async function runScenario({
  seed,
  seconds,
  thinkMsMax = THINK_MS_MAX,
  plant,
  citusUrl,
}: ScenarioOptions): Promise<Outcome> {
  const receiver = await openReceiver(seededRandom(seed).fork('webhooks'));
  let senders: Senders = { free: [], short: [] };
  const options: Options = {
    more: { WEBHOOK_ORIGINS: receiver.origin },
    clockSeconds: seededRandom(seed).fork('clock').pick([-CLOCK_SECONDS, CLOCK_SECONDS]),
    furnish: async ({ allAccountsSql, owner }) => {
      senders = await createSenders(allAccountsSql);
      if (plant !== undefined) await owner.query(plant);
    },
  };
  const resources =
    citusUrl === undefined
      ? await openResources(kindOf(seed), options)
      : await openClusterResources(citusUrl, options);
  const journal = openJournal(receiver.posts);
  let outcome: Outcome;
  try {
    outcome = await runOn(resources, { journal, receiver, senders }, { seed, seconds, thinkMsMax });
  } catch (error) {
    const output = resources.nodes.map((node) => `${node.name} said:\n${node.output.join('\n')}`);
    await resources.close().catch(() => undefined);
    throw new Error(`${String(error)}\n${output.join('\n')}`, { cause: error });
  }
  const unstopped = await resources.close();
  await receiver.close();
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
  { journal, receiver, senders }: { journal: Journal; receiver: Receiver; senders: Senders },
  { seed, seconds, thinkMsMax }: { seed: number; seconds: number; thinkMsMax: number },
): Promise<Outcome> {
  const random = seededRandom(seed);
  await receiver.subscribe(resources.nodes[0]?.address() ?? '', withWebhook(senders));
  await setPhones(resources, 'away');
  const requestRouter = createRequestRouter(resources.nodes, random.fork('router'));
  const faultsOver = new AbortController();
  const gaveUp = new AbortController();
  const began = performance.now();
  const workload = createWorkload(senders);
  const progress = () => (performance.now() - began) / (seconds * 1000);
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const own = random.fork(`client ${client}`);
    while (!faultsOver.signal.aborted) {
      const request = workload.next(client, own, progress());
      journal.requests.push(request);
      const twice = isSafe(request) && !request.cancel && own.chance(0.1);
      await (twice ? sendTwiceAtOnce : sendUntilAnswered)(
        requestRouter,
        journal,
        request,
        gaveUp.signal,
      );
      // Some clients forget that they were answered.
      if (isSafe(request) && !request.cancel && own.chance(0.1))
        await sendUntilAnswered(requestRouter, journal, request, gaveUp.signal);
      await pause(own.whole(0, thinkMsMax));
    }
  });
  const faultRun = runFaults(resources, {
    requestRouter,
    random: random.fork('nemesis'),
    forMs: seconds * 1000,
    complete: (faultStats) => neverHappened(resources.kind, faultStats, journal).length === 0,
  });
  const faultStats = await faultRun.finally(() => faultsOver.abort());
  setTimeout(() => gaveUp.abort(), ANSWERS_MS_MAX).unref();
  await Promise.all(clients);

  await resources.settleInDoubt();
  // Messages that may have left are given up before their phone returns: its receipt proves that wrong.
  await allLeft(resources);
  await setPhones(resources, 'back');
  const drainedMs = await drained(resources);
  await repeatRequests(requestRouter, journal, random.fork('again').shuffled(journal.requests));
  // Tables that grew within a minute have no statistics yet.
  await resources.owner`analyze`;
  const verdict = await judge(resources.allAccountsSql, journal);
  const { broken, messages, resubmitted, corrected } = verdict;
  const missing = neverHappened(resources.kind, faultStats, journal);
  if (corrected + verdict.expired === 0) missing.push('a ttl that ran out');
  broken.push(
    ...missing.map((what): Broken => ({
      rule: 'every fault was injected',
      what: `never happened: ${what}`,
    })),
  );
  return {
    seed,
    kind: resources.kind,
    broken,
    requests: journal.requests.length,
    requested: journal.requests.reduce((sum, { messages: wanted }) => sum + wanted.length, 0),
    messages,
    replays: journal.replays,
    unsure: journal.requests.filter(({ unsure }) => unsure > 0).length,
    resubmitted,
    corrected,
    answers: Object.fromEntries([...journal.answers].toSorted(([a], [b]) => a.localeCompare(b))),
    faultStats,
    webhooks: {
      events: new Set(journal.posts.map(({ id }) => id)).size,
      posts: journal.posts.length,
    },
    drainedMs,
  };
}

/** Every fifth token, so that some of those sending always have one. */
const withWebhook = ({ free }: Senders) => free.filter((_, n) => n % 5 === 0);

const setPhones = ({ allAccountsSql }: Resources, where: 'away' | 'back') =>
  retrying(
    () => allAccountsSql`
      insert into sim_phones (phone, offline)
      select phone, ${where === 'away'}::boolean from unnest(${[...awayPhones]}::text[]) as phone
      on conflict (phone) do update set offline = excluded.offline`,
  );

/**
 * Waits until no work is left, in one statement, so that nothing hides between queues. Anything that does not drain in
 * time is left to the judge.
 */
export async function drained({
  allAccountsSql,
}: Pick<Resources, 'allAccountsSql'>): Promise<number> {
  const began = performance.now();
  const empty = async () => {
    const [row] = await allAccountsSql<{ n: number }[]>`
      select (select count(*) from dispatch) + (select count(*) from outbox)
        + (select count(*) from sim_events)
        + (select count(*) from lanes where ready_at <= clock_timestamp())
        + (select count(*) from webhook_lanes)
        + (select count(*) from webhooks w join event_positions p using (account_id)
          where w.position < p.last) as n`.catch(() => []);
    return row?.n === 0;
  };
  await waitFor(empty, { patienceMs: DRAIN_PATIENCE_MS }).catch(() => undefined);
  return performance.now() - began;
}

const allLeft = ({ allAccountsSql }: Resources) => {
  const empty = async () => {
    const [row] = await allAccountsSql<{ n: number }[]>`
      select count(*)::int as n from dispatch`.catch(() => []);
    return row?.n === 0;
  };
  return waitFor(empty, { patienceMs: DRAIN_PATIENCE_MS }).catch(() => undefined);
};

/** Checks that an answered request gets the same answer for ever, and sends nothing new. */
async function repeatRequests(
  requestRouter: RequestRouter,
  journal: Journal,
  requests: Journal['requests'],
): Promise<void> {
  const answered = requests.filter(
    (request) =>
      isSafe(request) &&
      !request.cancel &&
      request.messages.every(({ outcome }) => outcome === 'accepted'),
  );
  for (const request of answered.slice(0, REPEATED_REQUESTS)) {
    await sendUntilAnswered(requestRouter, journal, request, AbortSignal.timeout(ANSWERS_MS_MAX));
  }
}

function neverHappened(kind: Kind, faultStats: FaultStats, journal: Journal): string[] {
  const injected = new Set(faultStats.injections.map(({ fault }) => fault));
  const missing: string[] = faultsOf[kind].filter((fault) => !injected.has(fault));
  if (faultStats.appKills < 5) missing.push(`five kills of the app (${faultStats.appKills})`);
  if (faultStats.met === 0) missing.push('a kill with requests under way');
  if (!journal.requests.some(({ unsure }) => unsure > 0))
    missing.push('a request without an answer');
  if (journal.replays === 0) missing.push('a first answer given again');
  const taken = journal.posts.filter((post) => post.taken);
  if (new Set(taken.map(({ id }) => id)).size === taken.length)
    missing.push('an event taken twice by a webhook');
  for (const code of ['saldo_short', 'token_limit_reached']) {
    const seen = journal.requests.some(({ messages }) =>
      messages.some((message) => message.code === code),
    );
    if (!seen) missing.push(`a refusal: ${code}`);
  }
  if (!journal.requests.some(({ cancelled }) => cancelled)) missing.push('a cancelled message');
  return missing;
}
