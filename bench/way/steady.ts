import { setTimeout as pause } from 'node:timers/promises';
import { type Contender, openContender } from '#bench/lib/contender.ts';
import { type Cpu, cpuBetween, elsewhereMs } from '#bench/lib/cpu.ts';
import { type Customer, richCustomers, sendRequest, signIn } from '#bench/lib/customers.ts';
import { type LiveStream, openLiveStream } from '#bench/lib/live-stream.ts';
import { type Load, loadByClock } from '#bench/lib/load.ts';
import { interleaved } from '#bench/lib/rounds.ts';
import { type Figure, type Part, figuresTable, forEach, withContenders } from './part.ts';
import { countWith, untilSettled } from './settled.ts';

const RATE = Number(process.env['STEADY_RATE'] ?? 200);
const FOR_MS = Number(process.env['STEADY_MS'] ?? 30_000);
const WARM_MS = Number(process.env['STEADY_WARM_MS'] ?? 15_000);
export const CUSTOMERS = 50;
/** Lifelike phones have read everything after 8 s; more is a backlog. */
const SETTLED_MS_MAX = 120_000;
/** Work after the last status, such as events and counts, is included. */
export const TAIL_MS = 2_000;

export type SteadySubject = Contender & {
  customers: readonly Customer[];
  streams: readonly LiveStream[];
};

export type Steady = {
  load: Load;
  /** From the first request until all messages are final, plus `TAIL_MS`. */
  cpu: Cpu;
  read: number;
  /** From the last response until the last message was final. */
  settleMs: number;
  streamBytes: number;
  /** Processors used by others: batches grow when work has to wait, and cost less per message. */
  othersBusy: number;
};

type SteadyOptions = {
  countsStatements?: boolean;
  env?: Readonly<Record<string, string>>;
  program?: string;
};

export async function openSteady(
  root: string | undefined,
  { env = {}, ...options }: SteadyOptions = {},
): Promise<SteadySubject> {
  const contender = await openContender({
    root,
    env: { SIMULATOR_SPEED: '1', ...env },
    ...options,
  });
  const { app, database } = contender;
  const customers = await richCustomers(database.allAccountsSql, CUSTOMERS);
  const streams = await Promise.all(
    customers.map(async ({ accountId }) =>
      openLiveStream(app.port, await signIn(database.allAccountsSql, accountId)),
    ),
  );
  const close = async () => {
    for (const stream of streams) stream.close();
    await contender.close();
  };
  return { ...contender, customers, streams, close };
}

export async function measureSteady(
  { app, cpu, customers, database, streams }: SteadySubject,
  perSecond: number,
  forMs: number,
): Promise<Steady> {
  const bytes = () => streams.reduce((sum, stream) => sum + stream.bytes, 0);
  const from = { since: new Date(), cpu: await cpu(), bytes: bytes() };
  const machine = { elsewhereMs: await elsewhereMs(), atMs: performance.now() };
  const load = await loadByClock({
    port: app.port,
    perSecond,
    forMs,
    request: (n) => sendRequest(app.port, customers[n % customers.length]?.key ?? ''),
  });
  const answeredAt = performance.now();
  const sent = { customers, since: from.since };
  await untilSettled(database.allAccountsSql, sent, SETTLED_MS_MAX);
  const settleMs = performance.now() - answeredAt;
  await pause(TAIL_MS);
  const used = cpuBetween(from.cpu, await cpu());
  const othersMs = (await elsewhereMs()) - machine.elsewhereMs - used.appMs - used.postgresMs;
  const othersBusy = othersMs / (performance.now() - machine.atMs);
  const read = await countWith(database.allAccountsSql, sent, 'read');
  return { load, cpu: used, read, settleMs, streamBytes: bytes() - from.bytes, othersBusy };
}

const figures: readonly Figure<Steady>[] = [
  { name: 'app CPU, ms a message', of: ({ cpu, read }) => cpu.appMs / read, digits: 3 },
  { name: 'PostgreSQL CPU, ms a message', of: ({ cpu, read }) => cpu.postgresMs / read, digits: 3 },
  {
    name: 'both, ms a message',
    of: ({ cpu, read }) => (cpu.appMs + cpu.postgresMs) / read,
    digits: 3,
  },
  { name: 'accepted after, p50 ms', of: ({ load }) => load.p50Ms, digits: 2 },
  { name: 'accepted after, p99 ms', of: ({ load }) => load.p99Ms, digits: 2 },
  { name: 'accepted per second', of: ({ load }) => load.perSecond, digits: 1 },
  { name: 'refused', of: ({ load }) => load.refused, digits: 0 },
  { name: 'read, % of accepted', of: ({ load, read }) => (100 * read) / load.accepted, digits: 1 },
  { name: 'all read after the last answer, s', of: ({ settleMs }) => settleMs / 1000, digits: 1 },
  { name: 'processors that others kept busy', of: ({ othersBusy }) => othersBusy, digits: 2 },
  { name: 'bytes to tabs a message', of: ({ streamBytes, read }) => streamBytes / read, digits: 0 },
];

/** Runs the contenders in turn each round, after a shorter warm-up round. */
export async function steadyRounds(
  subjects: Readonly<Record<string, SteadySubject>>,
  rounds: number,
  warmed?: () => Promise<void>,
): Promise<Record<string, Steady[]>> {
  const round = (forMs: number) =>
    forEach(subjects, (subject) => () => measureSteady(subject, RATE, forMs));
  await interleaved(1, round(WARM_MS));
  await warmed?.();
  return interleaved(rounds, round(FOR_MS));
}

export const steadyTerms = (rounds: number): string =>
  `${RATE} messages a second for ${FOR_MS / 1000} s, evenly over ${CUSTOMERS} tokens of as many accounts, ` +
  `lifelike phones, a tab open for each account, all in one process; ${rounds} interleaved rounds, medians.`;

/** A business day: an even rate, lifelike phones, open tabs. */
export const steady: Part = {
  name: 'steady',
  title: 'Way: a steady load, from accepted to Dibaca',
  run: (options) =>
    withContenders(
      options,
      (root) => openSteady(root),
      async (subjects) => {
        const measured = await steadyRounds(subjects, options.rounds);
        return `${steadyTerms(options.rounds)}\n\n${figuresTable(measured, figures)}`;
      },
    ),
};
