import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openBenchDatabase } from '#bench/lib/bench-database.ts';
import { type Cpu, cpuBetween, cpuMs, postgresCpuMs } from '#bench/lib/cpu.ts';
import { type Customer, richCustomers, sendRequest, signIn } from '#bench/lib/customers.ts';
import { openLiveStream } from '#bench/lib/live-stream.ts';
import { loadByClock } from '#bench/lib/load.ts';
import { interleaved } from '#bench/lib/rounds.ts';
import { flagsOf, startProgram } from '#bench/lib/server.ts';
import { type Figure, type Part, figuresTable } from './part.ts';
import { CUSTOMERS, TAIL_MS, measureSteady, openSteady } from './steady.ts';

const RATES = (process.env['FLOOR_RATES'] ?? '200,50,20').split(',').map(Number);
const FOR_MS = Number(process.env['STEADY_MS'] ?? 30_000);
const WARM_MS = Number(process.env['STEADY_WARM_MS'] ?? 15_000);
const READ_MS_MAX = 60_000;
const LOOK_MS = 500;

type Reference = {
  port: number;
  customers: readonly Customer[];
  cpu: () => Promise<Cpu>;
  areAllRead: () => Promise<boolean>;
  close: () => Promise<void>;
};

/** The reference on a database of its own, with the same customers and tabs as the product. */
async function openReference(): Promise<Reference> {
  const database = await openBenchDatabase(4);
  const customers = await richCustomers(database.allAccountsSql, CUSTOMERS);
  const sessions = await Promise.all(
    customers.map(({ accountId }) => signIn(database.allAccountsSql, accountId)),
  );
  const url = new URL(database.url);
  const program = await startProgram(
    [...(await flagsOf()), join(import.meta.dirname, 'reference.ts')],
    { DATABASE_URL: url.href },
  );
  const tabs = await Promise.all(sessions.map((session) => openLiveStream(program.port, session)));
  return {
    port: program.port,
    customers,
    cpu: async () => ({
      appMs: await cpuMs(program.pid),
      postgresMs: await postgresCpuMs(database.postmaster),
    }),
    areAllRead: async () => {
      const left = await database.owner`
        select from reference_messages where status <> 'read' limit 1`;
      return left.length === 0;
    },
    close: async () => {
      for (const tab of tabs) tab.close();
      await program.stop();
      await database.close();
    },
  };
}

type Cost = { cpu: Cpu; messages: number; p50Ms: number; p99Ms: number };

async function measureReference(
  { port, customers, cpu, areAllRead }: Reference,
  perSecond: number,
  forMs: number,
): Promise<Cost> {
  const before = await cpu();
  const request = (n: number) => sendRequest(port, customers[n % customers.length]?.key ?? '');
  const { accepted, p50Ms, p99Ms } = await loadByClock({ port, perSecond, forMs, request });
  const end = performance.now() + READ_MS_MAX;
  while (!(await areAllRead())) {
    if (performance.now() > end) throw new Error('the reference has not read all messages');
    await pause(LOOK_MS);
  }
  await pause(TAIL_MS);
  return { cpu: cpuBetween(before, await cpu()), messages: accepted, p50Ms, p99Ms };
}

const figures: readonly Figure<Cost>[] = [
  { name: 'app CPU, ms a message', of: ({ cpu, messages }) => cpu.appMs / messages, digits: 3 },
  {
    name: 'PostgreSQL CPU, ms a message',
    of: ({ cpu, messages }) => cpu.postgresMs / messages,
    digits: 3,
  },
  {
    name: 'both, ms a message',
    of: ({ cpu, messages }) => (cpu.appMs + cpu.postgresMs) / messages,
    digits: 3,
  },
  { name: 'accepted after, p50 ms', of: ({ p50Ms }) => p50Ms, digits: 1 },
  { name: 'accepted after, p99 ms', of: ({ p99Ms }) => p99Ms, digits: 1 },
];

/** The product, which charges, queues and limits, ÷ a file that does none of that. */
export const floor: Part = {
  name: 'floor',
  title: 'Way: ÷ a reference of one file',
  run: async ({ rounds }) => {
    const product = await openSteady(undefined);
    const reference = await openReference();
    try {
      const pages: string[] = [];
      for (const rate of RATES) {
        const turns = (forMs: number) => ({
          product: async (): Promise<Cost> => {
            const { cpu, read, load } = await measureSteady(product, rate, forMs);
            return { cpu, messages: read, p50Ms: load.p50Ms, p99Ms: load.p99Ms };
          },
          reference: () => measureReference(reference, rate, forMs),
        });
        await interleaved(1, turns(WARM_MS));
        const measured = await interleaved(rounds, turns(FOR_MS));
        pages.push(`${rate} messages a second:\n\n${figuresTable(measured, figures)}`);
      }
      return [
        `From accepted to Dibaca over ${CUSTOMERS} tokens with a tab each, for ${FOR_MS / 1000} s; ${rounds} interleaved rounds, medians. ` +
          'The reference (`bench/way/reference.ts`) stores messages and their timeline as durably, and has nothing else.',
        ...pages,
      ].join('\n\n');
    } finally {
      await Promise.all([product.close(), reference.close()]);
    }
  },
};
