import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Cpu, cpuBetween } from '#bench/lib/cpu.ts';
import { sendRequest } from '#bench/lib/customers.ts';
import { loadByClock } from '#bench/lib/load.ts';
import { interleaved } from '#bench/lib/rounds.ts';
import { type Figure, type Part, figuresTable } from './part.ts';
import { CUSTOMERS, type SteadySubject, TAIL_MS, measureSteady, openSteady } from './steady.ts';

const RATES = (process.env['FLOOR_RATES'] ?? '200,50,20').split(',').map(Number);
const FOR_MS = Number(process.env['STEADY_MS'] ?? 30_000);
const WARM_MS = Number(process.env['STEADY_WARM_MS'] ?? 15_000);
const READ_MS_MAX = 60_000;
const LOOK_MS = 500;

type Cost = { cpu: Cpu; messages: number; p50Ms: number; p99Ms: number };

async function measureReference(
  { app: { port }, customers, cpu, database }: SteadySubject,
  perSecond: number,
  forMs: number,
): Promise<Cost> {
  const before = await cpu();
  const request = (n: number) => sendRequest(port, customers[n % customers.length]?.key ?? '');
  const { accepted, p50Ms, p99Ms } = await loadByClock({ port, perSecond, forMs, request });
  const end = performance.now() + READ_MS_MAX;
  const unread = () =>
    database.owner`select from reference_messages where status <> 'read' limit 1`;
  while ((await unread()).length > 0) {
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
    const program = join(import.meta.dirname, 'reference.ts');
    const reference = await openSteady(undefined, { program });
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
