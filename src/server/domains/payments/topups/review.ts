import { PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { formatRupiah, rupiah } from '#contract/base/money.ts';
import type { OperatorTopup, OperatorTopupFilter } from '#contract/operator.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { hashOfReference, normalized, txnOf, assignLine } from '#server/domains/payments/bank.ts';
import { applyPaid, lateNote } from './pay.ts';
import { type TopupRow, statusAt, topupColumns, topupOf } from './topup.ts';

export type ReviewDeps = { allAccountsSql: Sql; now: () => Date };

/** A line within this many rupiah of a total may be its payment with the kode unik forgotten. */
const NEAR = 999;
const CANDIDATES_MAX = 5;
/** Beyond this many, a filtered list is not counted further. */
const COUNT_MAX = 10_000;

type OperatorRow = TopupRow & {
  account_name: string;
  candidates: { line: string; amount: number; description: string; at: string }[];
};

type Query = {
  status?: OperatorTopupFilter | undefined;
  page?: number | undefined;
  sort_type?: 'asc' | 'desc' | undefined;
};

/** A page of all accounts' top-ups, each with the unused bank lines that could be its payment. */
export async function topupsForOperator(
  { allAccountsSql, now }: ReviewDeps,
  { status, page = 0, sort_type }: Query,
): Promise<PageOf<OperatorTopup>> {
  const at = now();
  const filter = filterOf(allAccountsSql, status, at);
  const [found, [counted]] = await Promise.all([
    allAccountsSql<{ topup_id: string; account_id: string }[]>`
      select topup_id, account_id from topups where ${filter}
      order by topup_id ${sort_type === 'asc' ? allAccountsSql`asc` : allAccountsSql`desc`}
      limit ${PAGE_SIZE} offset ${Math.min(page * PAGE_SIZE, COUNT_MAX)}`,
    allAccountsSql<{ total: number }[]>`
      select count(*) as total from (select from topups where ${filter} limit ${COUNT_MAX}) counted`,
  ]);
  const rows = await readForOperator(
    allAccountsSql,
    found.map((row) => row.topup_id),
    at,
  );
  const byId = new Map(rows.map((row) => [row.topup_id, row]));
  return {
    rows: found.flatMap(({ topup_id }) => operatorTopups(byId.get(topup_id))),
    total: counted?.total ?? 0,
  };
}

function filterOf(allAccountsSql: Sql, status: OperatorTopupFilter | undefined, at: Date) {
  if (status === undefined) return allAccountsSql`true`;
  if (status === 'open')
    return allAccountsSql`${statusAt(allAccountsSql, at)} in ('pending', 'review')
    and status in ('pending', 'review')`;
  // A pending row may be an expired one that no job has closed yet.
  const stored = status === 'expired' ? ['expired', 'pending'] : [status];
  return allAccountsSql`${statusAt(allAccountsSql, at)} = ${status} and status = any (${stored}::text[])`;
}

const operatorTopups = (row: OperatorRow | undefined): OperatorTopup[] => {
  if (!row) return [];
  const candidates = row.candidates.map(({ line, amount, description, at }) => ({
    line,
    amount,
    description,
    at: new Date(at),
  }));
  return [{ ...topupOf(row), account_name: row.account_name, candidates }];
};

function readForOperator(
  allAccountsSql: Sql | Tx,
  topupIds: readonly string[],
  at: Date,
): Promise<OperatorRow[]> {
  return allAccountsSql<OperatorRow[]>`
    select ${topupColumns(allAccountsSql, at)}, accounts.name as account_name, lines.candidates
    from topups
    join accounts using (account_id)
    cross join lateral (
      select coalesce(jsonb_agg(to_jsonb(near) order by off, near.at), '[]') as candidates
      from (
        select hash as line, amount, description, bank_lines.at, abs(amount - topups.total) as off
        from bank_lines
        where topups.status not in ('paid', 'rejected') and bank_lines.topup_id is null
          and bank = topups.bank_number
          and amount between topups.total - ${NEAR} and topups.total + ${NEAR}
          and bank_lines.at >= topups.created_at - interval '1 day'
        order by off, bank_lines.at limit ${CANDIDATES_MAX}
      ) near
    ) lines
    where topups.topup_id = any (${[...topupIds]}::uuid[])`.then((rows) => [...rows]);
}

type LockedTopup = {
  account_id: string;
  topup_id: string;
  status: string;
  total: number;
  bank: string;
};

/** Locks a top-up's row, of any account. */
async function lockTopup(tx: Tx, topupId: string, at: Date): Promise<LockedTopup> {
  const [locked] = await tx<LockedTopup[]>`
    select account_id, topup_id, ${statusAt(tx, at)} as status, total, bank_number as bank
    from topups where topup_id = ${topupId} for no key update`;
  if (!locked) throw new Refusal('not_found', { what: 'Isi saldo' });
  return locked;
}

async function readOne(tx: Tx, topupId: string, at: Date): Promise<OperatorTopup> {
  const [one] = operatorTopups((await readForOperator(tx, [topupId], at))[0]);
  if (!one) throw new Error('a top-up vanished');
  return one;
}

export type Decision = { topupId: string; operatorId: string; reason: string };

/**
 * Confirms a top-up by hand, from any state but paid and rejected: with a stored bank line (its `line`
 * or its reference), or with a reference whose line has not come, which vouches for the exact amount.
 *
 * @throws Refusal `not_found`, `topup_already_paid`, `topup_closed`, `bank_line_used`,
 *   `topup_amount_mismatch` when the line is more than Rp 999 off.
 */
export async function confirmTopupByHand(
  { allAccountsSql, now }: ReviewDeps,
  { topupId, operatorId, reason, reference }: Decision & { reference: string },
): Promise<OperatorTopup> {
  const at = now();
  const decide = async (tx: Tx) => {
    const locked = await lockTopup(tx, topupId, at);
    const topup = { accountId: locked.account_id, topupId };
    const line = await lineOf(tx, locked.bank, reference);
    const hash = line?.hash ?? hashOfReference(locked.bank, reference);
    const amount = rupiah(line?.amount ?? locked.total);
    const off =
      amount === locked.total ? undefined : `Transfer yang masuk ${formatRupiah(amount)}.`;
    const note = [lateNote(locked.status), off].filter(Boolean).join(' ');
    const outcome = await applyPaid(tx, {
      ...topup,
      txnId: txnOf(hash),
      amount,
      at,
      actor: `operator:${operatorId}`,
      byHand: true,
      ...(note !== '' && { note }),
    });
    if (outcome === 'already_paid') throw new Refusal('topup_already_paid', {});
    if (outcome === 'closed') throw new Refusal('topup_closed', {});
    if (outcome === 'amount_mismatch') {
      throw new Refusal('topup_amount_mismatch', { total: locked.total, received: amount });
    }
    if (outcome !== 'applied') throw new Refusal('bank_line_used', {});
    if (line) await assignLine(tx, line.hash, topup);
    await tx`
      insert into topup_decisions (account_id, topup_id, at, operator_id, decision, reason, reference)
      values (${topup.accountId}, ${topupId}, ${at}, ${operatorId}, 'confirmed', ${reason}, ${reference})`;
    return readOne(tx, topupId, at);
  };
  return allAccountsSql.begin(decide);
}

type Line = { hash: string; amount: number };

/** The stored line that an operator means: by its `line`, else by its reference, unused ones first. */
async function lineOf(tx: Tx, bank: string, reference: string): Promise<Line | undefined> {
  const [line] = await tx<Line[]>`
    select hash, amount from bank_lines
    where bank = ${bank} and (hash = ${reference} or reference = ${normalized(reference)})
    order by topup_id is not null, at limit 1`;
  return line;
}

/**
 * Rejects a top-up that is pending or in review; the customer sees the reason.
 *
 * @throws Refusal `not_found`, `topup_already_paid`, `topup_closed`.
 */
export async function rejectTopupByHand(
  { allAccountsSql, now }: ReviewDeps,
  { topupId, operatorId, reason }: Decision,
): Promise<OperatorTopup> {
  const at = now();
  const decide = async (tx: Tx) => {
    const locked = await lockTopup(tx, topupId, at);
    if (locked.status === 'paid') throw new Refusal('topup_already_paid', {});
    if (locked.status !== 'pending' && locked.status !== 'review')
      throw new Refusal('topup_closed', {});
    await tx`
      update topups set status = 'rejected', note = ${reason}
      where account_id = ${locked.account_id} and topup_id = ${topupId}`;
    await tx`
      insert into topup_decisions (account_id, topup_id, at, operator_id, decision, reason)
      values (${locked.account_id}, ${topupId}, ${at}, ${operatorId}, 'rejected', ${reason})`;
    return readOne(tx, topupId, at);
  };
  return allAccountsSql.begin(decide);
}
