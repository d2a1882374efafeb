import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type {
  Broadcast,
  BroadcastState,
  changeBroadcast,
  createBroadcast,
  operatorBroadcasts,
} from '#contract/operator/broadcasts.ts';
import { operatorNames } from '#server/domains/accounts/accounts.ts';
import { plansForOperator } from '#server/domains/billing/billing.ts';
import { newId } from '#server/infra/ids.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import type { BroadcastDeps } from './deps.ts';

type Row = Omit<Broadcast, 'id' | 'told' | 'closed'> & { broadcast_id: string };

const stateAt = (sql: Sql | Tx, at: Date): Fragment => sql`
  case when b.stopped_at is not null then 'stopped' when b.until_at <= ${at} then 'over'
    when b.from_at > ${at} then 'scheduled' else 'shown' end`;

const columns = (sql: Sql | Tx, at: Date): Fragment => sql`
  b.broadcast_id, b.title, b.body as text, b.tone, b.audience, b.plan, b.from_at as "from",
  b.until_at as until, b.by_push, b.by_message, b.created_by, b.created_at, b.stopped_by, b.stopped_at,
  ${stateAt(sql, at)} as state
  from broadcasts b`;

type DeliveryCounts = Broadcast['told'] & { broadcast_id: string };

async function countsOf(sql: Sql | Tx, ids: readonly string[]) {
  const deliveries = await sql<DeliveryCounts[]>`
    select broadcast_id, count(*)::int as people, count(pushed_at)::int as pushed,
      count(*) filter (where outcome = 'sent')::int as sent,
      count(*) filter (where outcome = 'opted_out')::int as opted_out,
      count(*) filter (where outcome = 'failed')::int as failed,
      count(*) filter (where ended_at is null)::int as waiting
    from broadcast_deliveries where broadcast_id = any(${ids}::uuid[]) group by broadcast_id`;
  const reads = await sql<{ broadcast_id: string; closed: number }[]>`
    select broadcast_id, count(*)::int as closed from broadcast_reads
    where broadcast_id = any(${ids}::uuid[]) group by broadcast_id`;
  return {
    told: new Map(deliveries.map(({ broadcast_id, ...figures }) => [broadcast_id, figures])),
    closed: new Map(reads.map(({ broadcast_id, closed }) => [broadcast_id, closed])),
  };
}

const NO_DELIVERIES = { people: 0, pushed: 0, sent: 0, opted_out: 0, failed: 0, waiting: 0 };

async function shown(sql: Sql | Tx, rows: readonly Row[]): Promise<Broadcast[]> {
  const counts = await countsOf(
    sql,
    rows.map(({ broadcast_id }) => broadcast_id),
  );
  const people = rows.flatMap(({ created_by, stopped_by }) =>
    stopped_by === null ? [created_by] : [created_by, stopped_by],
  );
  const names = await operatorNames(sql, people);
  const nameOf = (id: string) => names.get(id) ?? 'Operator';
  return rows.map((row) => {
    const { broadcast_id, ...facts } = row;
    return {
      ...facts,
      id: publicId('broadcast', broadcast_id),
      created_by: nameOf(row.created_by),
      stopped_by: row.stopped_by && nameOf(row.stopped_by),
      told: counts.told.get(broadcast_id) ?? NO_DELIVERIES,
      closed: counts.closed.get(broadcast_id) ?? 0,
    };
  });
}

export async function broadcastsPage(
  { allAccountsSql: sql, now }: BroadcastDeps,
  { page = 0, sort_type, state }: InputOf<typeof operatorBroadcasts>,
): Promise<PageOf<Broadcast>> {
  const at = now();
  const matches = stateFilter(sql, state, at);
  const direction = sort_type === 'asc' ? sql`asc` : sql`desc`;
  const [rows, [counted]] = await Promise.all([
    sql<Row[]>`
      select ${columns(sql, at)} where ${matches}
      order by b.broadcast_id ${direction} limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`,
    sql<{ total: number }[]>`select count(*)::int as total from broadcasts b where ${matches}`,
  ]);
  return { rows: await shown(sql, rows), total: counted?.total ?? 0 };
}

const stateFilter = (sql: Sql, state: BroadcastState | undefined, at: Date): Fragment =>
  state === undefined ? sql`true` : sql`${stateAt(sql, at)} = ${state}`;

async function oneOf(
  { allAccountsSql: sql, now }: BroadcastDeps,
  broadcastId: string,
): Promise<Broadcast> {
  const rows = await sql<Row[]>`
    select ${columns(sql, now())} where b.broadcast_id = ${broadcastId}`;
  const [one] = await shown(sql, rows);
  if (!one) throw new Refusal('not_found', { what: 'Pengumuman' });
  return one;
}

type Words = InputOf<typeof createBroadcast>;
type Asking = { operatorId: string; key: string };

const DAYS_MAX = 90;
const DAY_MS = 86_400_000;

/** Validates the instants and the plan. @throws Refusal `input_invalid` */
async function checked({ allAccountsSql, now }: BroadcastDeps, words: Words) {
  const at = now();
  const from = words.from === undefined ? at : new Date(words.from);
  const until = new Date(words.until);
  const no = (field: string, sentence: string): never => {
    throw new Refusal('input_invalid', { fields: { [field]: sentence } });
  };
  // A start some minutes ago means now: the form was open meanwhile.
  if (at.getTime() - from.getTime() > 600_000) no('from', 'Waktu mulai sudah lewat.');
  if (until <= from || until <= at) no('until', 'Waktu selesai harus sesudah waktu mulai.');
  if (until.getTime() - from.getTime() > DAYS_MAX * DAY_MS) {
    no('until', `Pengumuman tayang paling lama ${DAYS_MAX} hari.`);
  }
  const plan = words.audience === 'plan' ? words.plan : undefined;
  if (words.audience === 'plan') {
    const plans = await plansForOperator(allAccountsSql);
    if (!plans.some(({ code }) => code === plan)) no('plan', 'Pilih paketnya.');
  }
  return { at, from, until, plan: plan ?? null };
}

/** Creates a broadcast. Idempotent by key. */
export async function makeBroadcast(
  deps: BroadcastDeps,
  { operatorId, key }: Asking,
  words: Words,
): Promise<Broadcast> {
  const { allAccountsSql } = deps;
  const { at, from, until, plan } = await checked(deps, words);
  const [made] = await allAccountsSql<{ broadcast_id: string }[]>`
    with made as (
      insert into broadcasts (
        broadcast_id, request_key, title, body, tone, audience, plan, from_at, until_at, by_push,
        by_message, created_by, created_at, changed_by, changed_at
      ) values (
        ${newId(at.getTime())}, ${key}, ${words.title}, ${words.text}, ${words.tone},
        ${words.audience}, ${plan}, ${from}, ${until}, ${words.by_push === 'yes'},
        ${words.by_message === 'yes'}, ${operatorId}, ${at}, ${operatorId}, ${at}
      ) on conflict (request_key) do nothing returning broadcast_id
    )
    select broadcast_id from made
    union all select broadcast_id from broadcasts where request_key = ${key} limit 1`;
  if (!made) throw new Error('a broadcast was not made');
  return oneOf(deps, made.broadcast_id);
}

/** Changes a broadcast before it begins. @throws Refusal `broadcast_over` once it has begun */
export async function editBroadcast(
  deps: BroadcastDeps,
  operatorId: string,
  { broadcast_id: id, ...words }: InputOf<typeof changeBroadcast>,
): Promise<Broadcast> {
  const { at, from, until, plan } = await checked(deps, words);
  const { count } = await deps.allAccountsSql`
    update broadcasts set title = ${words.title}, body = ${words.text}, tone = ${words.tone},
      audience = ${words.audience}, plan = ${plan}, from_at = ${from}, until_at = ${until},
      by_push = ${words.by_push === 'yes'}, by_message = ${words.by_message === 'yes'},
      changed_by = ${operatorId}, changed_at = ${at}
    where broadcast_id = ${id} and from_at > ${at} and stopped_at is null
      -- A worker may have begun since that instant, and would not announce the change to accounts it has passed.
      and ready_at is null and queued_to = '00000000-0000-0000-0000-000000000000'`;
  const now = await oneOf(deps, id);
  if (count === 1) return now;
  throw new Refusal('broadcast_over', {});
}

/** Stops a broadcast and updates open pages. @throws Refusal `broadcast_over` */
export async function endBroadcast(
  deps: BroadcastDeps,
  operatorId: string,
  broadcastId: string,
): Promise<Broadcast> {
  const at = deps.now();
  const { count } = await deps.allAccountsSql`
    update broadcasts set stopped_by = ${operatorId}, stopped_at = ${at},
      -- Announces the stop to the accounts that see it; a broadcast that has not begun is shown to none.
      queued_to = default, ready_at = case when from_at > ${at} then ${at}::timestamptz end
    where broadcast_id = ${broadcastId} and stopped_at is null and until_at > ${at}`;
  const now = await oneOf(deps, broadcastId);
  if (count === 0) throw new Refusal('broadcast_over', {});
  return now;
}
