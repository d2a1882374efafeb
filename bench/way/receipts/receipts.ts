import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { type Contender, openContender } from '#bench/lib/contender.ts';
import { type Customer, type SendLoad, richCustomers, sendOn } from '#bench/lib/customers.ts';
import { interleaved } from '#bench/lib/rounds.ts';
import { type Acceptor, CONNECTIONS, openAcceptor } from '#bench/way/acceptor.ts';
import { type Figure, type Part, figuresTable, forEach, withContenders } from '#bench/way/part.ts';
import { untilAll } from '#bench/way/settled.ts';

const CUSTOMERS = 50;
const SEND_MS = Number(process.env['RECEIPTS_SEND_MS'] ?? 8_000);
const SENT_MS_MAX = 120_000;
/** Phones so slow that the first receipt comes after most of an hour. */
const SIMULATOR_SPEED = '0.0001';

const repository = join(import.meta.dirname, '../../..');
const program = join(import.meta.dirname, 'receipts-process.ts');
const run = promisify(execFile);

type ReceiptsSubject = Contender & {
  root: string;
  customers: readonly Customer[];
  acceptor: Acceptor;
};

const Stored = z.object({
  receipts: z.number(),
  ms: z.number(),
  appMs: z.number(),
  postgresMs: z.number(),
});

type Receipts = { stored: z.output<typeof Stored>; acceptOnly: SendLoad };

async function openReceipts(root: string | undefined): Promise<ReceiptsSubject> {
  const contender = await openContender({ root, env: { SIMULATOR_SPEED } });
  const customers = await richCustomers(contender.database.allAccountsSql, CUSTOMERS);
  const acceptor = await openAcceptor(root, CUSTOMERS);
  const close = async () => {
    await acceptor.close();
    await contender.close();
  };
  return { ...contender, root: root ?? repository, customers, acceptor, close };
}

/** The application sends; then a process of the same checkout stores the receipts. */
async function measureReceipts(subject: ReceiptsSubject): Promise<Receipts> {
  const { acceptor, customers, database, root } = subject;
  const acceptOnly = await acceptor.accept();
  const since = new Date();
  await sendOn(subject, customers, { connections: CONNECTIONS, forMs: SEND_MS });
  const sent = { customers, since };
  const all = (status: string) =>
    untilAll(database.allAccountsSql, sent, { statuses: [status], patienceMs: SENT_MS_MAX });
  await all('sent');
  const given = [program, root, database.url, database.folder, String(database.postmaster)];
  const { stdout } = await run(process.execPath, given);
  await all('read');
  return { stored: Stored.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')), acceptOnly };
}

const perSecond = ({ stored }: Receipts) => stored.receipts / (stored.ms / 1000);

const figures: readonly Figure<Receipts>[] = [
  { name: 'receipts per second', of: perSecond, digits: 0 },
  { name: 'accepted per second', of: ({ acceptOnly }) => acceptOnly.perSecond, digits: 0 },
  {
    name: 'receipts ÷ accepted',
    of: (receipts) => perSecond(receipts) / receipts.acceptOnly.perSecond,
    digits: 2,
  },
  {
    name: 'app CPU, ms a receipt',
    of: ({ stored }) => stored.appMs / stored.receipts,
    digits: 3,
  },
  {
    name: 'PostgreSQL CPU, ms a receipt',
    of: ({ stored }) => stored.postgresMs / stored.receipts,
    digits: 3,
  },
];

export const receipts: Part = {
  name: 'receipts',
  title: 'Way: receipts, and what is accepted meanwhile elsewhere',
  run: (options) =>
    withContenders(options, openReceipts, async (subjects) => {
      const round = forEach(subjects, (subject) => () => measureReceipts(subject));
      await interleaved(1, round);
      const measured = await interleaved(options.rounds, round);
      return [
        `${CUSTOMERS} accounts; "delivered" and "read" of every message in the order lifelike phones say them, 500 at a time as the simulator ` +
          `hands them on; accepting: ${CONNECTIONS} connections, an application that does nothing else; ${options.rounds} interleaved rounds, medians.`,
        figuresTable(measured, figures),
      ].join('\n\n');
    }),
};
