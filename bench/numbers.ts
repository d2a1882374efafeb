/**
 * `npm run bench:numbers`: linked phones of WhatsApp Web, in two parts; `--only memory` or `--only workers` runs one.
 *
 * `memory`: memory per phone beyond the first, of processes with one phone and with fifty in one thread of sockets.
 * `ROUNDS` is 3 unless it is set.
 *
 * `workers`: 1,000 phones over five workers: memory and connections of each, and the logins of the phones of a worker
 * that is killed. Linux only.
 *
 * `PHONES`, `WORKERS` and what the phones do can be set.
 */
import { parseArgs } from 'node:util';
import { report, table } from './lib/results.ts';
import { interleaved, median } from './lib/rounds.ts';
import { type Measured, type Work, measure } from './numbers/measure.ts';
import { workers } from './numbers/workers-page.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const PHONES = Number(process.env['PHONES'] ?? 50);
const AIM_MB = 25;

const work: Work = {
  idleMs: Number(process.env['IDLE_MS'] ?? 10_000),
  known: Number(process.env['KNOWN'] ?? 300),
  sentToKnown: Number(process.env['SENT'] ?? 300),
  customers: Number(process.env['CUSTOMERS'] ?? 20),
  messagesEach: Number(process.env['MESSAGES'] ?? 2),
};

type Of = (measured: Measured) => number;

const perPhone = (one: number, many: number): number => (many - one) / (PHONES - 1);

function page(one: readonly Measured[], many: readonly Measured[]): string {
  const row = (name: string, bytesOf: Of) => {
    const [single, all] = [one, many].map((rounds) =>
      rounds.map((round) => bytesOf(round) / 2 ** 20),
    );
    if (!single || !all) throw new Error('nothing was measured');
    const each = all.map((megabytes, n) => perPhone(single[n] ?? 0, megabytes));
    return [
      name,
      ...[median(single), median(all)].map((mb) => mb.toFixed(0)),
      median(each).toFixed(1),
    ];
  };
  const figures = table(
    ['MB of the process', 'one phone', `${PHONES} phones`, 'a phone beyond the first'],
    [
      row('connected, idle', ({ idle }) => idle.bytes),
      row('after its messages', ({ worked }) => worked.bytes),
      row('highest, with garbage', ({ worked }) => worked.highestBytes),
    ],
  );
  const talked = work.customers * work.messagesEach;
  return (
    `The product’s engine with its real client in one thread, against a network of our own on this machine. ` +
    `Each phone makes and uploads 812 pre-keys when it connects and has ${work.known} sessions stored, outside the process; ` +
    `then it is idle for ${work.idleMs / 1000} s; then it receives ${talked} messages of ${work.customers} new customers, answers each, ` +
    `and sends to ${work.sentToKnown} known contacts. Resident memory of the whole process after a garbage collection; ` +
    `${one.length} interleaved rounds, each in fresh processes, medians. The aim is ${AIM_MB} MB a phone.\n\n${figures}`
  );
}

async function memory(): Promise<void> {
  const rounds = await interleaved(ROUNDS, {
    one: () => measure(1, work),
    many: () => measure(PHONES, work),
  });
  await report('Numbers: memory per linked phone', page(rounds.one, rounds.many));
}

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const parts = { memory, workers };
const { only } = values;
if (only !== undefined && !(only in parts)) {
  throw new Error(`--only takes one of: ${Object.keys(parts).join(', ')}`);
}
for (const [name, run] of Object.entries(parts)) {
  if (only === undefined || only === name) await run();
}
