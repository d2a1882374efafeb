import { report, table } from '#bench/lib/results.ts';
import {
  type LoginFigures,
  type MeasuredWorkers,
  type WorkersWork,
  measureWorkers,
} from './workers.ts';

const PHONES = Number(process.env['PHONES'] ?? 1_000);
const WORKERS = Number(process.env['WORKERS'] ?? 5);

const work: WorkersWork = {
  idleMs: Number(process.env['IDLE_MS'] ?? 10_000),
  known: Number(process.env['KNOWN'] ?? 50),
  customers: Number(process.env['CUSTOMERS'] ?? 5),
  messagesEach: Number(process.env['MESSAGES'] ?? 2),
};

/** Runs the part and reports it. Fails if a phone did not return or was connected twice. */
export async function workers(): Promise<void> {
  const measured = await measureWorkers(PHONES, WORKERS, work);
  await report(`Numbers: ${PHONES} phones over ${WORKERS} workers`, page(measured));
  const { move, doubled } = measured;
  if (move.neverBack + doubled > 0)
    throw new Error('phones did not return or were connected twice');
}

const mb = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

function memoryTable({ single, workers: all }: MeasuredWorkers): string {
  const beyond = (bytes: number, phones: number, one: number) =>
    phones > 1 ? ((bytes - one) / 2 ** 20 / (phones - 1)).toFixed(1) : '';
  const row = (name: string, { idle, worked, moved }: MeasuredWorkers['workers'][number]) => [
    name,
    `${idle.phones}`,
    mb(idle.bytes),
    beyond(idle.bytes, idle.phones, single.idle.bytes),
    mb(worked.bytes),
    beyond(worked.bytes, worked.phones, single.worked.bytes),
    `${worked.postgres}`,
    `${worked.sockets}`,
    ...(moved
      ? [`${moved.phones}`, mb(moved.bytes), `${moved.postgres}`, `${moved.sockets}`]
      : ['', '', '', '']),
  ];
  return table(
    [
      'worker',
      'phones',
      'MB idle',
      'a phone beyond the first',
      'MB after its messages',
      'a phone beyond the first',
      'to PostgreSQL',
      'sockets',
      'phones after the move',
      'MB',
      'to PostgreSQL',
      'sockets',
    ],
    [
      row('one phone', { ...single, moved: undefined }),
      ...all.map((one, nth) => row(nth === 0 ? '1, then killed' : `${nth + 1}`, one)),
    ],
  );
}

function loginsTable({ start, move }: MeasuredWorkers): string {
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  const row = (name: string, { count, firstMs, lastMs, mostInSecond }: LoginFigures) => [
    name,
    `${count}`,
    seconds(firstMs),
    seconds(lastMs),
    `${mostInSecond}`,
  ];
  return table(
    ['logins', 'all', 's to the first', 's to the last', 'most in any one second'],
    [row('all workers begin', start), row('one worker is killed', move)],
  );
}

function page(measured: MeasuredWorkers): string {
  const { move, unasked, doubled, listedConnections, heldConnections } = measured;
  const talked = work.customers * work.messagesEach;
  return [
    `The product’s own processes with \`ROLE=worker\` and the real client, on one PostgreSQL, against a network of our own on this machine. ` +
      `Each phone has connected before: its pre-keys are uploaded, and ${work.known} sessions are stored. It is idle for ${work.idleMs / 1000} s; ` +
      `then it receives ${talked} messages of ${work.customers} new customers, and answers each by the API of another process. ` +
      `Resident memory of whole processes after a garbage collection; one run.`,
    memoryTable(measured),
    `After the messages PostgreSQL listed ${listedConnections} connections of the workers and of the process with the API, which held ${heldConnections}. ` +
      `Then the first worker was ended with SIGKILL; a lease lasts 15 s.`,
    loginsTable(measured),
    `Of ${move.lost} phones that lost their worker, ${move.neverBack} never came back. ` +
      `${doubled} phones were ever connected twice at once, and ${unasked} logged in again although they were connected.`,
  ].join('\n\n');
}
