import { type Contender, openContender } from '#bench/lib/contender.ts';
import { type Cpu, cpuBetween } from '#bench/lib/cpu.ts';
import { type Customer, type SendLoad, richCustomers, sendOn } from '#bench/lib/customers.ts';
import { interleaved } from '#bench/lib/rounds.ts';
import { type Acceptor, CONNECTIONS, openAcceptor } from './acceptor.ts';
import { type Figure, type Part, figuresTable, forEach, withContenders } from './part.ts';
import { countWith, untilSettled } from './settled.ts';

const WALLETS = 100;
const FOR_MS = Number(process.env['RUSH_MS'] ?? 30_000);
const WARM_MS = 5_000;
const DRAINED_MS_MAX = 300_000;

/**
 * An application that accepts, sends and stores receipts at once, with phones that answer at once; compared with one
 * that only accepts.
 */
type RushSubject = Contender & { customers: readonly Customer[]; acceptor: Acceptor };

type Rush = {
  load: SendLoad;
  /** From the first request until all messages are read. */
  cpu: Cpu;
  /** Messages read before the last response. */
  readMeanwhile: number;
  read: number;
  drainMs: number;
  acceptOnly: SendLoad;
};

async function openRush(root: string | undefined): Promise<RushSubject> {
  const contender = await openContender({ root, env: { SIMULATOR_SPEED: '0' } });
  const customers = await richCustomers(contender.database.allAccountsSql, WALLETS);
  const acceptor = await openAcceptor(root, WALLETS);
  const close = async () => {
    await acceptor.close();
    await contender.close();
  };
  return { ...contender, customers, acceptor, close };
}

async function measureRush(subject: RushSubject, forMs: number): Promise<Rush> {
  const { acceptor, cpu, customers, database } = subject;
  const acceptOnly = await acceptor.accept();
  const since = new Date();
  const before = await cpu();
  const load = await sendOn(subject, customers, { connections: CONNECTIONS, forMs });
  const answeredAt = performance.now();
  const sent = { customers, since };
  const readMeanwhile = await countWith(database.allAccountsSql, sent, 'read');
  await untilSettled(database.allAccountsSql, sent, DRAINED_MS_MAX);
  const drainMs = performance.now() - answeredAt;
  const used = cpuBetween(before, await cpu());
  const read = await countWith(database.allAccountsSql, sent, 'read');
  return { load, cpu: used, readMeanwhile, read, drainMs, acceptOnly };
}

const seconds = ({ load }: Rush) => load.accepted / load.perSecond;

const figures: readonly Figure<Rush>[] = [
  { name: 'accepted per second', of: ({ load }) => load.perSecond, digits: 0 },
  {
    name: 'read per second, while accepting',
    of: (rush) => rush.readMeanwhile / seconds(rush),
    digits: 0,
  },
  {
    name: 'read per second, until all are read',
    of: (rush) => rush.read / (seconds(rush) + rush.drainMs / 1000),
    digits: 0,
  },
  { name: 'app CPU, ms a message', of: ({ cpu, read }) => cpu.appMs / read, digits: 3 },
  { name: 'PostgreSQL CPU, ms a message', of: ({ cpu, read }) => cpu.postgresMs / read, digits: 3 },
  {
    name: 'both, ms a message',
    of: ({ cpu, read }) => (cpu.appMs + cpu.postgresMs) / read,
    digits: 3,
  },
  {
    name: 'accepted ÷ accepted by an application that only accepts',
    of: ({ load, acceptOnly }) => load.perSecond / acceptOnly.perSecond,
    digits: 2,
  },
  { name: 'accepted after, p99 ms', of: ({ load }) => load.p99Ms, digits: 1 },
  { name: 'refused', of: ({ load }) => load.refused, digits: 0 },
];

/** Maximum load: messages accepted while the same process sends them and stores their receipts. */
export const rush: Part = {
  name: 'rush',
  title: 'Way: a rush, accepted while it is sent',
  run: (options) =>
    withContenders(options, openRush, async (subjects) => {
      const round = (forMs: number) =>
        forEach(subjects, (subject) => () => measureRush(subject, forMs));
      await interleaved(1, round(WARM_MS));
      const measured = await interleaved(options.rounds, round(FOR_MS));
      return [
        `${CONNECTIONS} connections, ${WALLETS} wallets, ${FOR_MS / 1000} s, phones that answer at once, all in one process; ` +
          `CPU is counted until everything is read and shared out among all messages; ${options.rounds} interleaved rounds, medians.`,
        figuresTable(measured, figures),
      ].join('\n\n');
    }),
};
