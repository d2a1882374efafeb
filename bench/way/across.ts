import { interleaved, percentile } from '#bench/lib/rounds.ts';
import { type Figure, type Part, figuresTable, forEach, withContenders } from './part.ts';
import { type Ticks, type TicksSubject, measureTicks, openTicks } from './ticks.ts';

const FOR_MS = Number(process.env['TICKS_MS'] ?? 10_000);

type Across = { same: Ticks; other: Ticks };

async function measureAcross(subject: TicksSubject, forMs: number): Promise<Across> {
  const other = subject.apps[1];
  if (!other) throw new Error('one process only');
  return {
    same: await measureTicks(subject, { streams: 1, forMs }),
    other: await measureTicks(subject, { streams: 1, forMs, at: other }),
  };
}

const shown = ({ queuedMs }: Ticks, share: number): number => percentile(queuedMs, share);

const figures: readonly Figure<Across>[] = [0.5, 0.99].flatMap((share): Figure<Across>[] => [
  { name: `at the same, p${share * 100} ms`, of: ({ same }) => shown(same, share), digits: 1 },
  { name: `at the other, p${share * 100} ms`, of: ({ other }) => shown(other, share), digits: 1 },
  {
    name: `the other ÷ the same, p${share * 100}`,
    of: ({ same, other }) => shown(other, share) / shown(same, share),
    digits: 2,
  },
]);

/** Time until a message from one process shows in a tab at another; p99 should be 80 ms at most. */
export const across: Part = {
  name: 'across',
  title: 'Way: from one process to a tab at another',
  run: (options) =>
    withContenders(
      options,
      (root) => openTicks(root, 2),
      async (subjects) => {
        const round = (forMs: number) =>
          forEach(subjects, (subject) => () => measureAcross(subject, forMs));
        await interleaved(1, round(FOR_MS / 4));
        const measured = await interleaved(options.rounds, round(FOR_MS));
        return [
          `20 messages a second accepted by one of two processes, both of which do everything, ${FOR_MS / 1000} s; from a ` +
            `message's 202 until a tab has it; ${options.rounds} interleaved rounds, medians.`,
          figuresTable(measured, figures),
        ].join('\n\n');
      },
    ),
};
