import { type Contender, openContender } from '#bench/lib/contender.ts';
import { type Customer, type SendLoad, richCustomers, sendOn } from '#bench/lib/customers.ts';
import { interleaved } from '#bench/lib/rounds.ts';
import { CONNECTIONS } from './acceptor.ts';
import { type Figure, type Part, figuresTable, forEach, withContenders } from './part.ts';

const WALLETS = 100;
const NODES = 2;
const FOR_MS = Number(process.env['NODES_MS'] ?? 5_000);

type NodesSubject = Contender & { customers: readonly Customer[] };

type Nodes = { one: SendLoad; several: SendLoad };

async function openNodes(root: string | undefined): Promise<NodesSubject> {
  const contender = await openContender({ root, env: { ROLE: 'web' }, nodes: NODES });
  const customers = await richCustomers(contender.database.allAccountsSql, WALLETS);
  return { ...contender, customers };
}

/** The idle process's CPU is counted with the busy one's: it is negligible. */
async function measureNodes({ app, apps, cpu, customers }: NodesSubject): Promise<Nodes> {
  const load = { connections: CONNECTIONS, forMs: FOR_MS };
  const several = await sendOn({ apps, cpu }, customers, load);
  return { one: await sendOn({ apps: [app], cpu }, customers, load), several };
}

const perCpuSecond = ({ appCpu, postgresCpu }: SendLoad) => 1000 / (appCpu + postgresCpu);

const figures: readonly Figure<Nodes>[] = [
  {
    name: 'one process, accepted per CPU second',
    of: ({ one }) => perCpuSecond(one),
    digits: 0,
  },
  {
    name: `${NODES} processes, accepted per CPU second`,
    of: ({ several }) => perCpuSecond(several),
    digits: 0,
  },
  {
    name: `${NODES} processes ÷ one`,
    of: ({ one, several }) => perCpuSecond(several) / perCpuSecond(one),
    digits: 2,
  },
  { name: 'one process, accepted per second', of: ({ one }) => one.perSecond, digits: 0 },
  {
    name: `${NODES} processes, accepted per second`,
    of: ({ several }) => several.perSecond,
    digits: 0,
  },
];

export const nodes: Part = {
  name: 'nodes',
  title: 'Way: two processes on one database',
  run: (options) =>
    withContenders(options, openNodes, async (subjects) => {
      const round = forEach(subjects, (subject) => () => measureNodes(subject));
      await interleaved(1, round);
      const measured = await interleaved(options.rounds, round);
      return [
        `${CONNECTIONS} connections in all, ${WALLETS} wallets, ${FOR_MS / 1000} s, processes that only accept; ` +
          `CPU is that of the processes and of PostgreSQL; ${options.rounds} interleaved rounds, medians.`,
        figuresTable(measured, figures),
      ].join('\n\n');
    }),
};
