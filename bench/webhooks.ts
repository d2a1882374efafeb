/**
 * `npm run bench:webhooks`: event latency with 1,000 endpoints when none of them hangs, and when 50 do; the highest
 * delivery rate; and the cost of a delivery at an ordinary load. `ROUNDS` is 3 unless it is set.
 */
import { type Contender, openContender } from './lib/contender.ts';
import { type Customer, richCustomers, sendOn, sendRequest } from './lib/customers.ts';
import { type Load, loadByClock } from './lib/load.ts';
import { report, table } from './lib/results.ts';
import { interleaved, median, percentile } from './lib/rounds.ts';
import { type Endpoints, openEndpoints } from './webhooks/endpoints.ts';
import { ordinaryLoad } from './webhooks/ordinary.ts';
import { saveWebhooks } from './webhooks/save.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const ENDPOINTS = Number(process.env['ENDPOINTS'] ?? 1_000);
const HANGING = Number(process.env['HANGING'] ?? 50);
const RATE = Number(process.env['RATE'] ?? 50);
const FOR_MS = Number(process.env['FOR_MS'] ?? 60_000);
const RUSH_MS = Number(process.env['RUSH_MS'] ?? 10_000);
const ORDINARY_MS = Number(process.env['ORDINARY_MS'] ?? 30_000);
const RUSH_CONNECTIONS = 16;
/** Each round hangs other endpoints, out of these. Only the rest is measured, on both sides. */
const MAY_HANG = ROUNDS * HANGING;
/** Accepted, sent, delivered and read. */
const EVENTS_EACH = 4;
/** For the last messages: lifelike phones have read them after 8 s. */
const TAIL_MS_MAX = 120_000;

type Subject = Contender & { customers: readonly Customer[]; endpoints: Endpoints };

type Round = { load: Load; arrived: number; p50Ms: number; p99Ms: number };

async function openSubject(): Promise<Subject> {
  const endpoints = await openEndpoints((place) => place >= MAY_HANG);
  const contender = await openContender({
    env: { SIMULATOR_SPEED: '1', WEBHOOK_ORIGINS: endpoints.origin },
  });
  const customers = await richCustomers(contender.database.allAccountsSql, ENDPOINTS);
  await saveWebhooks(contender.app.port, customers, endpoints.origin);
  const close = async () => {
    await contender.close();
    endpoints.close();
  };
  return { ...contender, customers, endpoints, close };
}

const arrival = (endpoints: Endpoints, from: number, accepted: number): Promise<void> => {
  const measured = accepted * (1 - MAY_HANG / ENDPOINTS);
  return endpoints.until(from, Math.floor(measured * EVENTS_EACH * 0.97), TAIL_MS_MAX);
};

/** Sends at a fixed rate over all tokens, while some endpoints hang: others in each round. */
async function measure(subject: Subject, hanging: number, round: number): Promise<Round> {
  const { app, customers, endpoints } = subject;
  const hung = Array.from({ length: hanging }, (_, n) => round * hanging + n);
  endpoints.hang(hung);
  const from = endpoints.begin();
  const load = await loadByClock({
    port: app.port,
    perSecond: RATE,
    forMs: FOR_MS,
    request: (n) => sendRequest(app.port, customers[n % customers.length]?.key ?? ''),
  });
  await arrival(endpoints, from, load.accepted);
  const delays = endpoints.delaysSince(from);
  endpoints.hang([]);
  return {
    load,
    arrived: delays.length,
    p50Ms: percentile(delays, 0.5),
    p99Ms: percentile(delays, 0.99),
  };
}

/**
 * Deliveries per second while messages are accepted at full speed, and for the backlog after it.
 */
async function rush(subject: Subject): Promise<{ accepted: number; perSecond: number }> {
  const { endpoints, customers } = subject;
  const from = endpoints.begin();
  const began = performance.now();
  const load = await sendOn(subject, customers, { connections: RUSH_CONNECTIONS, forMs: RUSH_MS });
  await arrival(endpoints, from, load.accepted);
  const seconds = (performance.now() - began) / 1_000;
  const delivered = endpoints.delaysSince(from).length / (1 - MAY_HANG / ENDPOINTS);
  return { accepted: load.perSecond, perSecond: delivered / seconds };
}

const middle = (rounds: readonly Round[], of: (round: Round) => number): number =>
  median(rounds.map(of));

function page(quiet: readonly Round[], hanging: readonly Round[], rushed: string): string {
  const row = (name: string, of: (round: Round) => number, digits = 0) => [
    name,
    middle(quiet, of).toFixed(digits),
    middle(hanging, of).toFixed(digits),
    median(hanging.map((round, n) => of(round) / of(quiet[n] ?? round))).toFixed(2),
  ];
  const figures = table(
    ['', 'none hangs', `${HANGING} hang`, 'ratio'],
    [
      row('from the event to its endpoint, p50 ms', ({ p50Ms }) => p50Ms),
      row('from the event to its endpoint, p99 ms', ({ p99Ms }) => p99Ms),
      row('deliveries measured', ({ arrived }) => arrived),
      row('accepted per second', ({ load }) => load.perSecond, 1),
    ],
  );
  return (
    `${ENDPOINTS} endpoints of as many accounts, ${RATE} messages a second for ${FOR_MS / 1000} s, evenly over them, ` +
    `lifelike phones, all in one process; ${quiet.length} interleaved rounds, medians. An endpoint that hangs takes ` +
    `a request and never answers; in each round others do, and the ${ENDPOINTS - MAY_HANG} that never do are measured.\n\n${figures}\n\n${rushed}`
  );
}

const quiet = await openSubject();
const hanging = await openSubject();
try {
  let round = 0;
  const rounds = await interleaved(ROUNDS, {
    quiet: () => measure(quiet, 0, 0),
    hanging: () => measure(hanging, HANGING, round++),
  });
  const { accepted, perSecond } = await rush(quiet);
  const rushed = `As fast as it goes: ${accepted.toFixed(0)} messages accepted and ${perSecond.toFixed(0)} deliveries a second.`;
  await report('Webhooks: endpoints that hang', page(rounds.quiet, rounds.hanging, rushed));
} finally {
  await Promise.all([quiet.close(), hanging.close()]);
}
await report('Webhooks: at an ordinary load', await ordinaryLoad(ROUNDS, ORDINARY_MS));
