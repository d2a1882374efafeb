import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { type Contender, openContender } from '#bench/lib/contender.ts';
import { type Customer, richCustomers, sendRequest, signIn } from '#bench/lib/customers.ts';
import { openLiveStream } from '#bench/lib/live-stream.ts';
import type { AppProcess } from '#bench/lib/server.ts';
import { loadByClock } from '#bench/lib/load.ts';
import { interleaved, percentile } from '#bench/lib/rounds.ts';
import { type Figure, type Part, figuresTable, forEach, withContenders } from './part.ts';
import { untilSettled } from './settled.ts';

const STREAMS = 100;
/** Streams per person; the application allows 30. */
const EACH = 25;
const PER_SECOND = 20;
const FOR_MS = Number(process.env['TICKS_MS'] ?? 15_000);
const WARM_MS = 5_000;
const SETTLED_MS_MAX = 60_000;
/** The last status is still on its way to the tabs when it is stored. */
const TAIL_MS = 2_000;

export type TicksSubject = Contender & { customer: Customer; sessions: readonly string[] };

/** Milliseconds from a message's 202 until a stream reported it as queued, and as sent. */
export type Ticks = { queuedMs: number[]; sentMs: number[] };
type Both = { one: Ticks; many: Ticks };

export async function openTicks(root: string | undefined, processes = 1): Promise<TicksSubject> {
  const contender = await openContender({ root, env: { SIMULATOR_SPEED: '1' }, nodes: processes });
  const { allAccountsSql } = contender.database;
  const [customer] = await richCustomers(allAccountsSql, 1);
  if (!customer) throw new Error('no customer');
  const sessions = await Promise.all(
    Array.from({ length: STREAMS / EACH }, () => signIn(allAccountsSql, customer.accountId)),
  );
  return { ...contender, customer, sessions };
}

const Said = z.object({ id: z.string(), status: z.string() });
const Accepted = z.object({ id: z.string() });

/** The time a stream first reported a status of a message, by `<status> <id>`. */
type Sightings = Map<string, number>;

function sighting(seen: Sightings): (data: unknown) => void {
  return (data) => {
    const said = Said.safeParse(data);
    if (!said.success) return;
    const key = `${said.data.status} ${said.data.id}`;
    if (!seen.has(key)) seen.set(key, performance.now());
  };
}

/** Sends to the first process. @param at the process that serves the tabs. */
export async function measureTicks(
  { app, customer, database, sessions }: TicksSubject,
  { streams, forMs, at = app }: { streams: number; forMs: number; at?: AppProcess },
): Promise<Ticks> {
  const seen: Sightings[] = Array.from({ length: streams }, () => new Map<string, number>());
  const open = await Promise.all(
    seen.map((one, n) =>
      openLiveStream(at.port, sessions[n % sessions.length] ?? '', sighting(one)),
    ),
  );
  const answeredAt = new Map<string, number>();
  const since = new Date();
  await loadByClock({
    port: app.port,
    perSecond: PER_SECOND,
    forMs,
    request: () => sendRequest(app.port, customer.key),
    onAnswer: ({ body }, atMs) => answeredAt.set(idOf(body), atMs),
  });
  await untilSettled(database.allAccountsSql, { customers: [customer], since }, SETTLED_MS_MAX);
  await pause(TAIL_MS);
  for (const stream of open) stream.close();
  const delays = (status: string) =>
    [...answeredAt].flatMap(([id, atMs]) =>
      seen.flatMap((one) => {
        const seenMs = one.get(`${status} ${id}`);
        return seenMs === undefined ? [] : [seenMs - atMs];
      }),
    );
  return { queuedMs: delays('queued'), sentMs: delays('sent') };
}

const idOf = (body: string): string => Accepted.parse(JSON.parse(body)).id;

async function measureBoth(subject: TicksSubject, forMs: number): Promise<Both> {
  const one = await measureTicks(subject, { streams: 1, forMs });
  return { one, many: await measureTicks(subject, { streams: STREAMS, forMs }) };
}

const figuresOf = (name: string, pick: (both: Both) => Ticks): Figure<Both>[] =>
  [0.5, 0.99].flatMap((share) => [
    {
      name: `${name}: accepted shown after, p${share * 100} ms`,
      of: (both: Both) => percentile(pick(both).queuedMs, share),
      digits: 1,
    },
    {
      name: `${name}: sent shown after, p${share * 100} ms`,
      of: (both: Both) => percentile(pick(both).sentMs, share),
      digits: 1,
    },
  ]);

const expected = (streams: number) => (2 * streams * PER_SECOND * FOR_MS) / 1000;

const figures: readonly Figure<Both>[] = [
  ...figuresOf('one tab', ({ one }) => one),
  ...figuresOf(`${STREAMS} tabs`, ({ many }) => many),
  {
    name: `${STREAMS} tabs: shown, % of what was to be shown`,
    of: ({ many }) => (100 * (many.queuedMs.length + many.sentMs.length)) / expected(STREAMS),
    digits: 1,
  },
];

export const ticks: Part = {
  name: 'ticks',
  title: 'Way: ticks in open tabs',
  run: (options) =>
    withContenders(
      options,
      (root) => openTicks(root),
      async (subjects) => {
        const round = (forMs: number) =>
          forEach(subjects, (subject) => () => measureBoth(subject, forMs));
        await interleaved(1, round(WARM_MS));
        const measured = await interleaved(options.rounds, round(FOR_MS));
        return [
          `${PER_SECOND} messages a second of one account, lifelike phones, ${FOR_MS / 1000} s; from a message's 202 until a tab ` +
            `has its status, over all tabs; ${options.rounds} interleaved rounds, medians.`,
          figuresTable(measured, figures),
        ].join('\n\n');
      },
    ),
};
