import { setTimeout as pause } from 'node:timers/promises';
import { type Contender, openContender } from '#bench/lib/contender.ts';
import { cpuBetween } from '#bench/lib/cpu.ts';
import { type Customer, richCustomers, sendRequest } from '#bench/lib/customers.ts';
import { loadByClock } from '#bench/lib/load.ts';
import { table } from '#bench/lib/results.ts';
import { interleaved, median, percentile } from '#bench/lib/rounds.ts';
import { type Endpoints, openEndpoints } from './endpoints.ts';
import { saveWebhooks } from './save.ts';

const ACCOUNTS = 50;
/** Messages per second: a busy installation's rate all day. */
const RATE = 20;
/** Accepted, sent, delivered and read. */
const EVENTS_EACH = 4;
/** For the last messages: lifelike phones have read them after 8 s. */
const TAIL_MS_MAX = 60_000;
const LOOK_MS = 1_000;

type Round = { appMs: number; postgresMs: number; p50Ms: number; p99Ms: number };

type Subject = Contender & { customers: readonly Customer[]; endpoints: Endpoints };

async function openSubject(withWebhooks: boolean): Promise<Subject> {
  const endpoints = await openEndpoints(() => true);
  const contender = await openContender({
    env: { SIMULATOR_SPEED: '1', WEBHOOK_ORIGINS: endpoints.origin },
  });
  const customers = await richCustomers(contender.database.allAccountsSql, ACCOUNTS);
  if (withWebhooks) await saveWebhooks(contender.app.port, customers, endpoints.origin);
  const close = async () => {
    await contender.close();
    endpoints.close();
  };
  return { ...contender, customers, endpoints, close };
}

/** Waits until no message is under way. @throws Error on timeout. */
async function allRead({ database }: Subject): Promise<void> {
  const end = performance.now() + TAIL_MS_MAX;
  for (;;) {
    const [left] = await database.allAccountsSql<{ n: number }[]>`
      select count(*)::int as n from messages where status <> 'read'`;
    if (left?.n === 0) return;
    if (performance.now() > end) throw new Error(`${left?.n} messages are not read`);
    await pause(LOOK_MS);
  }
}

/** The cost of a message at this load, until all its webhooks are delivered. */
async function measure(subject: Subject, withWebhooks: boolean, forMs: number): Promise<Round> {
  const { app, customers, endpoints, cpu } = subject;
  const from = endpoints.begin();
  const before = await cpu();
  const load = await loadByClock({
    port: app.port,
    perSecond: RATE,
    forMs,
    request: (n) => sendRequest(app.port, customers[n % customers.length]?.key ?? ''),
  });
  await allRead(subject);
  if (withWebhooks) await endpoints.until(from, load.accepted * EVENTS_EACH, TAIL_MS_MAX);
  const { appMs, postgresMs } = cpuBetween(before, await cpu());
  const delays = endpoints.delaysSince(from);
  return {
    appMs: appMs / load.accepted,
    postgresMs: postgresMs / load.accepted,
    p50Ms: withWebhooks ? percentile(delays, 0.5) : Number.NaN,
    p99Ms: withWebhooks ? percentile(delays, 0.99) : Number.NaN,
  };
}

/**
 * The cost of webhooks at an ordinary load, compared with the same load without. @returns a page
 */
export async function ordinaryLoad(rounds: number, forMs: number): Promise<string> {
  const without = await openSubject(false);
  const having = await openSubject(true);
  try {
    const found = await interleaved(rounds, {
      without: () => measure(without, false, forMs),
      having: () => measure(having, true, forMs),
    });
    const middle = (all: readonly Round[], of: (round: Round) => number) => median(all.map(of));
    const row = (name: string, of: (round: Round) => number) => {
      const [less, more] = [middle(found.without, of), middle(found.having, of)];
      return [name, less.toFixed(2), more.toFixed(2), ((more - less) / EVENTS_EACH).toFixed(2)];
    };
    const figures = table(
      ['', 'without', 'with', 'of a delivery'],
      [
        row('app CPU, ms a message', ({ appMs }) => appMs),
        row('PostgreSQL CPU, ms a message', ({ postgresMs }) => postgresMs),
      ],
    );
    const ms = (of: (round: Round) => number) => middle(found.having, of).toFixed(0);
    return (
      `${RATE} messages a second of ${ACCOUNTS} accounts for ${forMs / 1000} s, lifelike phones, with a webhook each and ` +
      `without; ${EVENTS_EACH} deliveries a message; ${rounds} interleaved rounds, medians.\n\n${figures}\n\n` +
      `From the event to its endpoint: p50 ${ms(({ p50Ms }) => p50Ms)} ms, p99 ${ms(({ p99Ms }) => p99Ms)} ms.`
    );
  } finally {
    await Promise.all([without.close(), having.close()]);
  }
}
