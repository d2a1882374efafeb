import { interleaved } from '#bench/lib/rounds.ts';
import { type Figure, type Part, figuresTable, forEach, withContenders } from './part.ts';
import { type SteadySubject, measureSteady, openSteady } from './steady.ts';

const START = Number(process.env['HIGHEST_START'] ?? 100);
const FOR_MS = Number(process.env['HIGHEST_MS'] ?? 15_000);
const STEP = 1.2;
const STEPS_MAX = 20;
const P99_MS_MAX = 100;
/** The slowest phone reads after 8 s, and its status is stored soon after; longer means queued. */
const SETTLE_MS_MAX = 10_000;

/** The highest rate of the steps that held; 0 if not even the first did. */
async function highestRate(subject: SteadySubject): Promise<{ rate: number }> {
  let held = 0;
  for (let step = 0; step < STEPS_MAX; step++) {
    const rate = Math.round(START * STEP ** step);
    // Twice, as the machine is shared: one failure may have an outside cause.
    if (!(await holds(subject, rate)) && !(await holds(subject, rate))) break;
    held = rate;
  }
  return { rate: held };
}

async function holds(subject: SteadySubject, rate: number): Promise<boolean> {
  const { load, settleMs } = await measureSteady(subject, rate, FOR_MS);
  return load.refused === 0 && load.p99Ms <= P99_MS_MAX && settleMs <= SETTLE_MS_MAX;
}

const figures: readonly Figure<{ rate: number }>[] = [
  { name: 'messages per second', of: ({ rate }) => rate, digits: 0 },
];

export const highest: Part = {
  name: 'highest',
  title: 'Way: the highest steady rate',
  run: (options) =>
    withContenders(
      options,
      (root) => openSteady(root),
      async (subjects) => {
        await interleaved(
          1,
          forEach(subjects, (subject) => () => measureSteady(subject, START, FOR_MS)),
        );
        const measured = await interleaved(
          options.rounds,
          forEach(subjects, (subject) => () => highestRate(subject)),
        );
        return [
          `As the steady load, from ${START} a second in steps of ${STEP}, ${FOR_MS / 1000} s each, as long as p99 of the answers ` +
            `is at most ${P99_MS_MAX} ms and everything is read ${SETTLE_MS_MAX / 1000} s after the last; ${options.rounds} interleaved rounds, medians.`,
          figuresTable(measured, figures),
        ].join('\n\n');
      },
    ),
};
