import { PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

export type SuspenseRow = {
  provider: string;
  txn: string;
  account_id: string;
  topup_id: string;
  amount: Rupiah;
  at: Date;
  notes: readonly { note: string; operator_id: string; at: string }[];
};

/** SQL condition: payment `p` is neither credited nor returned yet. */
export const unresolved = (sql: Sql | Tx) => sql`
  p.outcome = 'second'
  and (p.provider, p.txn_id) not in (
    select provider, txn_id from suspense_resolutions offset 0
  ) and not exists (
    select from refunds r
    where r.account_id = p.account_id and r.provider = p.provider and r.txn_id = p.txn_id
  )`;

type Payment = Omit<SuspenseRow, 'notes'>;

const columns = (sql: Sql | Tx) => sql`
  p.provider, p.txn_id as txn, p.account_id, p.topup_id, p.amount, p.at`;

type NoteRow = SuspenseRow['notes'][number] & { provider: string; txn: string };

async function withNotes(sql: Sql | Tx, payments: readonly Payment[]): Promise<SuspenseRow[]> {
  if (payments.length === 0) return [];
  const notes = await sql<NoteRow[]>`
    select n.provider, n.txn_id as txn, n.note, n.operator_id, to_jsonb(n.at) #>> '{}' as at
    from suspense_notes n
    join unnest(
      ${payments.map(({ account_id }) => account_id)}::uuid[],
      ${payments.map(({ provider }) => provider)}::text[],
      ${payments.map(({ txn }) => txn)}::text[]
    ) as p (account_id, provider, txn_id) using (account_id, provider, txn_id)
    order by n.note_id desc`;
  return payments.map((payment) => ({
    ...payment,
    notes: notes
      .filter(({ provider, txn }) => provider === payment.provider && txn === payment.txn)
      .map(({ note, operator_id, at }) => ({ note, operator_id, at })),
  }));
}

export async function suspensePage(
  allAccountsSql: Sql,
  { page = 0, sort_type }: { page?: number | undefined; sort_type?: 'asc' | 'desc' | undefined },
): Promise<PageOf<SuspenseRow>> {
  const order = sort_type === 'desc' ? allAccountsSql`desc` : allAccountsSql`asc`;
  const [found, { count }] = await Promise.all([
    allAccountsSql<Payment[]>`
      select ${columns(allAccountsSql)} from provider_payments p
      where ${unresolved(allAccountsSql)}
      order by p.at ${order}, p.txn_id ${order} limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`,
    suspenseSum(allAccountsSql),
  ]);
  return { rows: await withNotes(allAccountsSql, found), total: count };
}

export async function suspenseSum(
  sql: Sql | Tx,
): Promise<{ count: number; amount: Rupiah; examples: readonly string[] }> {
  const [sums] = await sql<{ n: number; amount: number; examples: string[] }[]>`
    select count(*) as n, coalesce(sum(amount), 0)::bigint as amount,
      coalesce((array_agg(p.txn_id order by p.at))[1:10], '{}') as examples
    from provider_payments p where ${unresolved(sql)}`;
  return { count: sums?.n ?? 0, amount: rupiah(sums?.amount ?? 0), examples: sums?.examples ?? [] };
}

/** @throws Refusal `suspense_resolved` when it has left suspense, `not_found` when it never was there. */
export async function suspenseOf(
  tx: Sql | Tx,
  { provider, txn }: { provider: string; txn: string },
): Promise<SuspenseRow> {
  const found = await tx<Payment[]>`
    select ${columns(tx)} from provider_payments p
    where p.provider = ${provider} and p.txn_id = ${txn} and ${unresolved(tx)}`;
  const [open] = await withNotes(tx, found);
  if (open) return open;
  const known = await tx`
    select from provider_payments
    where provider = ${provider} and txn_id = ${txn} and outcome = 'second'`;
  throw known.length > 0
    ? new Refusal('suspense_resolved', {})
    : new Refusal('not_found', { what: 'Dana' });
}

type Note = { provider: string; txn: string; note: string; operatorId: string; at: Date };

/** Adds a note to a payment in suspense. @throws Refusal as `suspenseOf`. */
export async function noteSuspense(tx: Tx, given: Note): Promise<SuspenseRow> {
  const { provider, txn, note, operatorId, at } = given;
  const { account_id } = await suspenseOf(tx, { provider, txn });
  await tx`
    insert into suspense_notes (account_id, note_id, provider, txn_id, note, operator_id, at)
    values (${account_id}, ${newId()}, ${provider}, ${txn}, ${note}, ${operatorId}, ${at})`;
  return suspenseOf(tx, { provider, txn });
}
