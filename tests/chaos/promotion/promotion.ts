import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withTargetSession, canonicalAddress } from '#server/infra/postgres/address.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { seededRandom } from '#tests/chaos/faults/random.ts';
import { createRequestRouter } from '#tests/chaos/faults/request-router.ts';
import type { Broken } from '#tests/chaos/faults/rules.ts';
import { judge } from '#tests/chaos/judge.ts';
import {
  type Journal,
  type Transport,
  openJournal,
  sendTwiceAtOnce,
  sendUntilAnswered,
} from '#tests/chaos/load/clients.ts';
import { createWorkload, isSafe } from '#tests/chaos/load/requests.ts';
import { createSenders } from '#tests/chaos/load/senders.ts';
import { type Node, openNode } from '#tests/chaos/node.ts';
import { drained } from '#tests/chaos/trial.ts';
import {
  type StreamingServer,
  startPrimary,
  startStandby,
} from '#tests/support/database/streaming.ts';
import { waitFor } from '#tests/support/wait-for.ts';

export type PromotionOptions = {
  seed: number;
  /** Seconds of load before the primary fails, and again after the standby has taken over. */
  seconds: number;
  /** `killed`: its processes end. `hangs`: they are suspended without notice, and killed later. */
  how: 'killed' | 'hangs';
  nodes?: number;
};

export type Promotion = {
  broken: Broken[];
  messages: number;
  acceptedBefore: number;
  resubmitted: number;
  answers: Readonly<Record<string, number>>;
  /** From the end of the promotion to the first 202 for a request that began after it. */
  healedMs: number;
  unsure: number;
};

const CLIENTS = 8;
const THINK_MS_MAX = 150;
const ANSWERS_MS_MAX = 180_000;
const DECISION_MS = 1_000;

export async function runPromotion(options: PromotionOptions): Promise<Promotion> {
  const primary = await startPrimary({ durable: true });
  const standby = await startStandby(primary, { name: 'standby', durable: true });
  const folder = await mkdtemp(join(tmpdir(), 'kabari-promotion-'));
  await chmod(folder, 0o711);
  const url = bothOf(primary, standby);
  const nodes = Array.from({ length: options.nodes ?? 1 }, (_, n) => nodeOn(url, folder, n));
  const allAccountsSql = openDatabase(withTargetSession(url, 'read-write'), {
    max: 3,
    as: 'all accounts',
    name: 'chaos',
  });
  try {
    await waitForEach(primary);
    await Promise.all(nodes.map((node) => node.start()));
    const outcome = await runOn({ primary, standby, nodes, allAccountsSql }, options);
    const codes = await Promise.all(nodes.map((node) => node.stop()));
    const deaths = nodes.flatMap((node) => node.deaths);
    if (codes.some((code) => code !== 0))
      deaths.push(`a node did not stop by itself (${codes.join()})`);
    outcome.broken.push(...deaths.map((what): Broken => ({ rule: 'the app lives', what })));
    return outcome;
  } catch (error) {
    const output = nodes.map((node) => `${node.name} said:\n${node.output.join('\n')}`);
    throw new Error(`${String(error)}\n${output.join('\n')}`, { cause: error });
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await allAccountsSql.end({ timeout: 1 });
    await Promise.all([primary.remove(), standby.remove()]);
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  }
}

function bothOf(...servers: readonly StreamingServer[]): string {
  const hosts = servers.map(({ url }) => new URL(url).hostname).join(',');
  const url = canonicalAddress(`postgres://kabari@${hosts}/kabari?target_session_attrs=read-write`);
  if (url === undefined) throw new Error(`no address of ${hosts}`);
  return url;
}

const nodeOn = (url: string, folder: string, n: number): Node =>
  openNode(`node ${n}`, {
    NODE_ENV: 'test',
    SIMULATOR: 'on',
    SIMULATOR_SPEED: '20',
    RATE_API_PER_SECOND: '1000000',
    BUSY_DELAY_MS: '0',
    DATABASE_URL: url,
    KABARI_DATA: join(folder, 'app'),
  });

/** From now on no commit is confirmed before the standby has written it. */
async function waitForEach(primary: StreamingServer): Promise<void> {
  await primary.run(
    `alter system set synchronous_standby_names = 'standby'`,
    'select pg_reload_conf()',
  );
  const sql = openDatabase(primary.superuserUrl, { max: 1, as: 'owner', name: 'chaos' });
  await waitFor(async () => {
    const found = await sql`select from pg_stat_replication where sync_state = 'sync'`;
    return found.length === 1;
  });
  await sql.end();
}

type Stage = {
  primary: StreamingServer;
  standby: StreamingServer;
  nodes: readonly Node[];
  allAccountsSql: Sql;
};

async function runOn(
  { primary, standby, nodes, allAccountsSql }: Stage,
  { seed, seconds, how }: PromotionOptions,
): Promise<Promotion> {
  const random = seededRandom(seed);
  const senders = await createSenders(allAccountsSql);
  const accepted: number[] = [];
  const transport = notingAccepted(createRequestRouter(nodes, random.fork('router')), accepted);
  const journal = openJournal([]);
  const over = new AbortController();
  const gaveUp = new AbortController();
  const sending = sendUntil(over.signal, { senders, journal, transport, random, gaveUp });

  await pause(seconds * 1_000 * (0.5 + random.next() / 2));
  if (how === 'killed') primary.kill();
  else primary.freeze();
  const acceptedBefore = accepted.length;
  await pause(DECISION_MS);
  await standby.run('select pg_promote()');
  const promotedAt = performance.now();
  const first = await waitFor(() => accepted.find((at) => at > promotedAt) ?? false, {
    what: 'a 202 of the new primary',
  });
  // The old primary is fenced off before it comes back.
  if (how === 'hangs') primary.kill();
  await pause(seconds * 1_000);
  over.abort();
  setTimeout(() => gaveUp.abort(), ANSWERS_MS_MAX).unref();
  await sending;

  await drained({ allAccountsSql });
  await standby.run('analyze');
  const { broken, messages, resubmitted } = await judge(allAccountsSql, journal);
  return {
    broken,
    messages,
    acceptedBefore,
    resubmitted,
    answers: Object.fromEntries([...journal.answers].toSorted(([a], [b]) => a.localeCompare(b))),
    healedMs: first - promotedAt,
    unsure: journal.requests.filter(({ unsure }) => unsure > 0).length,
  };
}

/** Records when each accepted request began after those before it, at the moment of its answer. */
const notingAccepted = (transport: Transport, accepted: number[]): Transport => ({
  post: async (path, options) => {
    const answer = await transport.post(path, options);
    if (answer.status === 202) accepted.push(performance.now());
    return answer;
  },
});

type Load = {
  senders: Awaited<ReturnType<typeof createSenders>>;
  journal: Journal;
  transport: Transport;
  random: ReturnType<typeof seededRandom>;
  gaveUp: AbortController;
};

async function sendUntil(
  over: AbortSignal,
  { senders, journal, transport, random, gaveUp }: Load,
): Promise<void> {
  const workload = createWorkload(senders);
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const own = random.fork(`client ${client}`);
    while (!over.aborted) {
      const request = workload.next(client, own, 0.5);
      journal.requests.push(request);
      const isTwice = isSafe(request) && !request.cancel && own.chance(0.1);
      const send = isTwice ? sendTwiceAtOnce : sendUntilAnswered;
      await send(transport, journal, request, gaveUp.signal);
      await pause(own.whole(0, THINK_MS_MAX));
    }
  });
  await Promise.all(clients);
}
