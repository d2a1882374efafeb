/**
 * Pages of the history: first, deepest, any, and each filter, on a large account ÷ on a small one, in
 * the same database and in turn; as function calls and through `POST /api`.
 *
 * `npm run bench:history`; `HISTORY_ROWS=10000000` for the size that docs/faults.md#figures names.
 */
import { randomBytes } from 'node:crypto';
import type { InputOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import type { listMessages } from '#contract/messages.ts';
import { messageList } from '#server/domains/messages/history/history.ts';
import { daysAfter } from '#server/domains/messages/history/pages.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { sha256 } from '#server/infra/security/secrets.ts';
import { openBenchDatabase } from './lib/bench-database.ts';
import { type FilledAccount, fillMessages } from './lib/messages.ts';
import { report, table } from './lib/results.ts';
import { interleaved, median, percentile, timed } from './lib/rounds.ts';
import { serve } from './lib/served.ts';

const ROWS = Number(process.env['HISTORY_ROWS'] ?? 1_000_000);
const CONTROL_ROWS = 10_000;
const DAYS = 40;
const ROUNDS = 5;
const SAMPLES = 6;
/** More people than one, so that no one of them meets the limit of calls per person. */
const PEOPLE = 40;
const RATIO_MAX = 2;
const P95_MS_MAX = 50;

type Ask = InputOf<typeof listMessages>;
type Place = 'first' | 'deepest' | 'any';
type Case = { name: string; filter: Ask; place: Place };
type Subject = FilledAccount & { peer: string; sessions: readonly string[] };

function casesFor({ tokenIds, peer }: Subject, today: string): readonly Case[] {
  const filters: [string, Ask][] = [
    ['all', {}],
    ['oldest first', { sort_by: 'created_at', sort_type: 'asc' }],
    ['read', { status: 'read' }],
    ['failed', { status: 'failed' }],
    ['cancelled', { status: 'cancelled' }],
    ['waiting', { status: 'waiting' }],
    ['in', { direction: 'in' }],
    ['out', { direction: 'out' }],
    ['text', { type: 'text' }],
    ['video', { type: 'video' }],
    ['one token', { token_id: tokenIds[0] }],
    ['one token, failed', { token_id: tokenIds[0], status: 'failed' }],
    ['two days', { from: daysAfter(today, -8), to: daysAfter(today, -7) }],
    ['one number', { q: peer }],
    ['beginning, 9 digits', { q: peer.slice(0, 9) }],
    ['beginning, 4 digits', { q: peer.slice(0, 4) }],
  ];
  return filters.flatMap(([name, filter]) =>
    (['first', 'deepest', 'any'] as const).map((place) => ({
      name: `${name}: ${place}`,
      filter,
      place,
    })),
  );
}

/** The input of one sample: `any` is another page each time. */
function askOf({ filter, place }: Case, total: number): Ask {
  const last = Math.max(0, Math.ceil(total / 10) - 1);
  if (place === 'first') return filter;
  return { ...filter, page: place === 'deepest' ? last : Math.floor(Math.random() * (last + 1)) };
}

/** People with a session each; returns their tokens. */
async function signIn(owner: Sql, accountId: string): Promise<string[]> {
  const tokens = Array.from(
    { length: PEOPLE },
    () => `kbs_${randomBytes(32).toString('base64url')}`,
  );
  for (const token of tokens) {
    const userId = newId();
    await owner`
      insert into users (account_id, user_id, name, phone, password_hash, role)
      values (${accountId}, ${userId}, 'Ani', '6281200000001', '-', 'customer')`;
    await owner`
      insert into sessions (token_hash, session_id, account_id, user_id, agent, ip)
      values (${sha256(token)}, ${newId()}, ${accountId}, ${userId}, 'bench', '127.0.0.1')`;
  }
  return tokens;
}

async function subjectOf(owner: Sql, messages: number, now: Date): Promise<Subject> {
  const filled = await fillMessages(owner, { messages, days: DAYS, end: now });
  const { accountId } = filled;
  const [some] = await owner<{ peer: string }[]>`
    select peer from conversations where account_id = ${accountId} order by last_at desc limit 1`;
  return { ...filled, peer: some?.peer ?? '', sessions: await signIn(owner, accountId) };
}

/** One way to ask for a page; answers the rows in all. */
type Asking = (subject: Subject, ask: Ask) => Promise<number>;

const byFunction =
  (tenantSql: Sql): Asking =>
  async ({ accountId }, ask) =>
    (await messageList(tenantSql, accountId, ask)).total;

function byHttp(address: string): Asking {
  let turn = 0;
  return async ({ sessions }, { token_id, page, ...ask }) => {
    turn += 1;
    const fields = new URLSearchParams({
      act: 'message_list',
      token: sessions[turn % sessions.length] ?? '',
      fcm: '',
      ...(ask as Record<string, string>),
      ...(page !== undefined && { page: String(page) }),
      ...(token_id !== undefined && { token_id: publicId('token', token_id) }),
    });
    const reply = await fetch(`${address}/api`, { method: 'POST', body: fields });
    const body = (await reply.json()) as { code: number; result?: { total_page: number } };
    if (body.code !== 1 || !body.result) throw new Error(`refused: ${JSON.stringify(body)}`);
    return body.result.total_page * 10;
  };
}

type Figures = { large: number[]; small: number[] };

/** Every case on both accounts, in turn, `ROUNDS` times after a round that does not count. */
async function measure(
  ask: Asking,
  subjects: { large: Subject; small: Subject },
  today: string,
): Promise<Map<string, Figures>> {
  const found = new Map<string, Figures>();
  const cases = { large: casesFor(subjects.large, today), small: casesFor(subjects.small, today) };
  for (const [n, { name }] of cases.large.entries()) {
    const contender = async (size: 'large' | 'small') => {
      const one = cases[size][n];
      if (!one) throw new Error(`no case ${n}`);
      const total = await ask(subjects[size], one.filter);
      return async () => {
        const taken: number[] = [];
        for (let sample = 0; sample < SAMPLES; sample++) {
          const input = askOf(one, total);
          taken.push(await timed(() => ask(subjects[size], input)));
        }
        return taken;
      };
    };
    const contenders = { large: await contender('large'), small: await contender('small') };
    await interleaved(1, contenders);
    const { large, small } = await interleaved(ROUNDS, contenders);
    found.set(name, { large: large.flat(), small: small.flat() });
  }
  return found;
}

const ms = (value: number) => value.toFixed(1);

function summary(way: string, found: ReadonlyMap<string, Figures>): string {
  const rows = [...found].map(([name, { large, small }]) => ({
    name,
    small: median(small),
    large: median(large),
    ratio: median(large) / median(small),
    p95: percentile(large, 0.95),
  }));
  const size = (rowsInAll: number) => `${rowsInAll.toLocaleString('en')} rows, ms`;
  const body = rows.map(({ name, small, large, ratio, p95 }) => [
    name,
    ms(small),
    ms(large),
    ratio.toFixed(2),
    ms(p95),
  ]);
  const worst = {
    ratio: Math.max(...rows.map(({ ratio }) => ratio)),
    p95: Math.max(...rows.map(({ p95 }) => p95)),
  };
  const held = worst.ratio <= RATIO_MAX && worst.p95 <= P95_MS_MAX ? 'held' : 'NOT held';
  return [
    table([way, size(CONTROL_ROWS), size(ROWS), 'ratio', 'p95, ms'], body),
    '',
    `Worst ratio ${worst.ratio.toFixed(2)} (at most ${RATIO_MAX}), worst p95 ${ms(worst.p95)} ms (at most ${P95_MS_MAX}): ${held}.`,
  ].join('\n');
}

const bench = await openBenchDatabase(2);
try {
  const now = new Date();
  const today = now.toISOString().slice(0, 10);
  const large = await subjectOf(bench.owner, ROWS, now);
  const small = await subjectOf(bench.owner, CONTROL_ROWS, now);
  await bench.owner.query('vacuum analyze');
  const called = await measure(byFunction(bench.tenantSql), { large, small }, today);
  const served = await serve(bench.url, { ROLE: 'web' });
  let overHttp: Map<string, Figures>;
  try {
    overHttp = await measure(byHttp(served.address), { large, small }, today);
  } finally {
    await served.close();
  }
  await report(
    `History: ${ROWS.toLocaleString('en')} ÷ ${CONTROL_ROWS.toLocaleString('en')} messages over ${DAYS} days`,
    `${ROUNDS} interleaved rounds of ${SAMPLES}, medians.\n\n${summary('function call', called)}\n\n${summary('POST /api', overHttp)}`,
  );
} finally {
  await bench.close();
}
