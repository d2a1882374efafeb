import { setTimeout as pause } from 'node:timers/promises';
import { openContender } from '#bench/lib/contender.ts';
import { residentMb } from '#bench/lib/cpu.ts';
import { richCustomers, signIn } from '#bench/lib/customers.ts';
import { type LiveStream, openLiveStream } from '#bench/lib/live-stream.ts';
import { interleaved } from '#bench/lib/rounds.ts';
import { type Figure, HERE, OTHER, type Part, figuresTable } from './part.ts';

const STREAMS = Number(process.env['STREAMS'] ?? 2_000);
/** Streams per person; the application allows 30. */
const EACH = 20;
const TOGETHER = 50;
/** Long enough for keep-alive comments on each stream. */
const SETTLE_MS = Number(process.env['STREAMS_SETTLE_MS'] ?? 20_000);

/** Garbage is collected on a signal, so that it does not count as memory of a stream. */
const collector = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  process.on('SIGUSR2', runInNewContext('gc'));`;
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(collector)}`;
const COLLECTED_MS = 2_000;

type Memory = { idleMb: number; openMb: number };

/** Starts a new application each time: memory is seldom given back. */
async function measureStreams(root: string | undefined): Promise<Memory> {
  const contender = await openContender({ root, env: { ROLE: 'web', NODE_OPTIONS } });
  const { app, database } = contender;
  const streams: LiveStream[] = [];
  try {
    const people = await richCustomers(database.allAccountsSql, Math.ceil(STREAMS / EACH));
    const sessions = await Promise.all(
      people.map(({ accountId }) => signIn(database.allAccountsSql, accountId)),
    );
    const open = async (from: number, upto: number) => {
      const some = sessions.flatMap((session) => Array.from({ length: EACH }, () => session));
      const opening = some.slice(from, upto).map((session) => openLiveStream(app.port, session));
      streams.push(...(await Promise.all(opening)));
    };
    // The first streams load code and connections that the others share.
    await open(0, TOGETHER);
    const idleMb = await settledMb(app.pid);
    for (let from = TOGETHER; from < STREAMS; from += TOGETHER) {
      await open(from, Math.min(STREAMS, from + TOGETHER));
    }
    return { idleMb, openMb: await settledMb(app.pid) };
  } finally {
    for (const stream of streams) stream.close();
    await contender.close();
  }
}

async function settledMb(pid: number): Promise<number> {
  await pause(SETTLE_MS);
  process.kill(pid, 'SIGUSR2');
  await pause(COLLECTED_MS);
  return residentMb(pid);
}

const figures: readonly Figure<Memory>[] = [
  {
    name: 'a stream, kB',
    of: ({ idleMb, openMb }) => ((openMb - idleMb) * 1024) / (STREAMS - TOGETHER),
    digits: 1,
  },
  { name: `with ${TOGETHER} streams, MB`, of: ({ idleMb }) => idleMb, digits: 0 },
  { name: `with ${STREAMS} streams, MB`, of: ({ openMb }) => openMb, digits: 0 },
];

export const streams: Part = {
  name: 'streams',
  title: 'Way: memory of open tabs',
  run: async ({ against, rounds }) => {
    const roots = { [HERE]: undefined, ...(against !== undefined && { [OTHER]: against }) };
    const measured = await interleaved(
      rounds,
      Object.fromEntries(
        Object.entries(roots).map(([name, root]) => [name, () => measureStreams(root)]),
      ),
    );
    return [
      `Resident memory of a process that only answers requests, ${SETTLE_MS / 1000} s after the last stream was opened, garbage collected; ` +
        `${EACH} streams of a person; ${rounds} interleaved rounds, a process of its own each, medians.`,
      figuresTable(measured, figures),
    ].join('\n\n');
  },
};
