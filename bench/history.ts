/**
 * Pages of the history: first, deepest, any, and each filter, on a large account ÷ on a small one, in the same database
 * and in turn; as function calls and through `POST /api`; on warm connections, and cold (the first query of its kind on
 * a connection). Also the cost per message of the word index, and messages accepted per second for the large account ÷
 * for one on an empty database.
 *
 * `npm run bench:history`; `HISTORY_ROWS=10000000` for the size that docs/faults.md#figures names (6 GB of disk),
 * `HISTORY_DAYS` for another density; `-- --against <checkout>` runs another checkout, with its own packages, in turn
 * with this one. `--only word` runs the cases with this in their names and skips accepting; `--keep <folder>` leaves
 * the filled database there for the next run and skips accepting, which would change it.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { civilDate } from '#contract/base/time.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { measureAccepts } from './history/accepts.ts';
import { type Case, askOf, casesFor } from './history/cases.ts';
import { type Asking, type Contender, migrateAs, openContender } from './history/contender.ts';
import { filledDatabase } from './history/filled.ts';
import type { Subject } from './history/subject.ts';
import { indexWords } from './history/words.ts';
import { openBenchDatabase } from './lib/bench-database.ts';
import { report, table } from './lib/results.ts';
import { interleaved, median, percentile, timed } from './lib/rounds.ts';

const ROWS = Number(process.env['HISTORY_ROWS'] ?? 1_000_000);
const CONTROL_ROWS = 10_000;
const DAYS = Number(process.env['HISTORY_DAYS'] ?? 40);
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const SAMPLES = 6;
const COLD_SAMPLES = 3;
const RATIO_MAX = 1.5;
const P95_MS_MAX = 50;

const here = join(import.meta.dirname, '..');

type Subjects = { large: Subject; small: Subject };
type Size = keyof Subjects;
const sizes = ['large', 'small'] as const;

type Figures = { warm: number[]; cold: number[] };

type Cases = Record<Size, readonly Case[]>;

/** Milliseconds until a page is returned, or refused by the statement timeout. */
const timeOf = (ask: Asking, subject: Subject, input: Case['filter']) =>
  timed(() => ask(subject, input).catch(() => undefined));

function pagesOf(one: Case, subject: Subject, contender: Contender, way: 'call' | 'post') {
  const ask = contender[way];
  let total = 0;
  return {
    /** The first pages of their kind; runs before all others. None of them counts as warm. */
    cold: async (): Promise<number[]> => {
      const taken: number[] = [];
      if (way === 'post') taken.push(await timeOf(ask, subject, one.filter));
      total = await ask(subject, one.filter).catch(() => 0);
      while (way === 'call' && taken.length < COLD_SAMPLES) {
        const input = askOf(one, total);
        taken.push(await contender.withFreshCall((fresh) => timeOf(fresh, subject, input)));
      }
      return taken;
    },
    warm: async (): Promise<number[]> => {
      const taken: number[] = [];
      while (taken.length < SAMPLES) taken.push(await timeOf(ask, subject, askOf(one, total)));
      return taken;
    },
  };
}

/** Runs every case on both accounts of all contenders, in turn, after a warm-up round. */
async function measure(
  contenders: Readonly<Record<string, Contender>>,
  { subjects, cases }: { subjects: Subjects; cases: Cases },
  way: 'call' | 'post',
): Promise<Map<string, Record<string, Figures>>> {
  const found = new Map<string, Record<string, Figures>>();
  for (const [n, { name }] of cases.large.entries()) {
    const pages = Object.entries(contenders).flatMap(([who, contender]) =>
      sizes.map((size) => {
        const one = cases[size][n];
        if (!one) throw new Error(`no case ${n}`);
        return [`${who} ${size}`, pagesOf(one, subjects[size], contender, way)] as const;
      }),
    );
    const cold = new Map<string, number[]>();
    for (const [whose, { cold: first }] of pages) cold.set(whose, await first());
    const turns = Object.fromEntries(pages.map(([whose, { warm }]) => [whose, warm]));
    await interleaved(1, turns);
    const warm = await interleaved(ROUNDS, turns);
    const figures = pages.map(([whose]) => [
      whose,
      { warm: warm[whose]?.flat() ?? [], cold: cold.get(whose) ?? [] },
    ]);
    found.set(name, Object.fromEntries(figures) as Record<string, Figures>);
    process.stderr.write(`${way} ${name}\n`);
  }
  return found;
}

function summaryOf(figures: Readonly<Record<string, Figures>>, who: string) {
  const [large, small] = [figures[`${who} large`], figures[`${who} small`]];
  if (!large || !small) throw new Error(`no measurements of ${who}`);
  return {
    small: median(small.warm),
    large: median(large.warm),
    ratio: median(large.warm) / median(small.warm),
    p95: percentile(large.warm, 0.95),
    cold: Math.max(...large.cold),
  };
}

const ms = (value: number) => value.toFixed(1);

const rowsOf = (count: number) => `${count.toLocaleString('en')} rows, ms`;

function tableOf(way: string, found: ReadonlyMap<string, Record<string, Figures>>): string {
  const summaries = [...found].map(([name, figures]) => ({
    name,
    own: summaryOf(figures, 'here'),
    other: 'against large' in figures ? summaryOf(figures, 'against') : undefined,
  }));
  const against = summaries.some(({ other }) => other !== undefined);
  const head = [way, rowsOf(CONTROL_ROWS), rowsOf(ROWS), 'ratio', 'p95, ms', 'cold, ms'];
  const otherHead = ['against, ms', 'ratio', 'p95, ms', 'cold, ms', '÷ against'];
  const body = summaries.map(({ name, own, other }) => [
    name,
    ms(own.small),
    ms(own.large),
    own.ratio.toFixed(2),
    ms(own.p95),
    ms(own.cold),
    ...(other
      ? [
          ms(other.large),
          other.ratio.toFixed(2),
          ms(other.p95),
          ms(other.cold),
          (own.large / other.large).toFixed(2),
        ]
      : []),
  ]);
  const worst = (value: (own: (typeof summaries)[number]['own']) => number) =>
    Math.max(...summaries.map(({ own }) => value(own)));
  const [ratio, p95, cold] = [
    worst((own) => own.ratio),
    worst((own) => own.p95),
    worst((own) => own.cold),
  ];
  const held = ratio <= RATIO_MAX && Math.max(p95, cold) <= P95_MS_MAX ? 'held' : 'NOT held';
  return [
    table(against ? [...head, ...otherHead] : head, body),
    '',
    `Worst ratio ${ratio.toFixed(2)} (at most ${RATIO_MAX}), worst p95 ${ms(p95)} ms, worst cold page ${ms(cold)} ms (at most ${P95_MS_MAX}): ${held}.`,
  ].join('\n');
}

/** Copies the filled database on the same server; only `owner` may be connected to it. */
async function copyOf(owner: Sql, url: string): Promise<string> {
  await owner.query('drop database if exists history_here');
  await owner.query('create database history_here template kabari strategy file_copy');
  return Object.assign(new URL(url), { pathname: '/history_here' }).href;
}

const { values } = parseArgs({
  options: { against: { type: 'string' }, only: { type: 'string' }, keep: { type: 'string' } },
});
const only = values.only ?? '';
const bench = await openBenchDatabase(1, { isMigrated: false, keptIn: values.keep });
const contenders: Record<string, Contender> = {};
const closeAll = async () => {
  for (const [who, { close }] of Object.entries(contenders)) {
    await close();
    delete contenders[who];
  }
};
try {
  // The database is filled in the older shape; this checkout's migrations upgrade it.
  const { subjects, endMs, ...filled } = await filledDatabase(bench, {
    sizes: [ROWS, CONTROL_ROWS],
    days: DAYS,
    root: values.against ?? here,
    keptIn: values.keep,
  });
  const [large, small] = subjects;
  if (!large || !small) throw new Error('no accounts');
  const url = values.against === undefined ? bench.url : await copyOf(bench.owner, bench.url);
  if (values.against !== undefined) {
    await migrateAs(here, url);
    contenders['against'] = await openContender(values.against, bench.url);
  }
  const indexed = filled.indexed ?? (await indexWords(bench, url, subjects));
  contenders['here'] = await openContender(here, url);
  const today = civilDate(new Date(endMs));
  const casesOf = ({ tokenIds, peer }: Subject) =>
    casesFor(tokenIds[0] ?? '', peer, today).filter(({ name }) => name.includes(only));
  const on = {
    subjects: { large, small },
    cases: { large: casesOf(large), small: casesOf(small) },
  };
  const called = tableOf('function call', await measure(contenders, on, 'call'));
  const posted = tableOf('POST /api', await measure(contenders, on, 'post'));
  await closeAll();
  const accepted =
    only === '' && values.keep === undefined
      ? await measureAccepts({ ...bench, url, account: large }, ROUNDS)
      : '';
  const words = `The index of words took ${indexed.appMs.toFixed(3)} ms of CPU a message in the application and ${indexed.postgresMs.toFixed(3)} ms in PostgreSQL.`;
  await report(
    `History: ${ROWS.toLocaleString('en')} ÷ ${CONTROL_ROWS.toLocaleString('en')} messages over ${DAYS} days${only && `, ${only}`}`,
    `${ROUNDS} interleaved rounds of ${SAMPLES}, medians; cold: the slowest of the first of their kind.\n\n${called}\n\n${posted}\n\n${words}\n\n${accepted}`.trim(),
  );
} finally {
  await closeAll();
  await bench.close();
}
