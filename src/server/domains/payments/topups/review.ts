import { PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { formatRupiah, rupiah } from '#contract/base/money.ts';
import type { OperatorTopup, OperatorTopupFilter } from '#contract/operator.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { hashOfReference, plain, txnOf, useLine } from '#server/domains/payments/bank.ts';
import { applyPaid, noteOfLate } from './pay.ts';
import { type TopupRow, statusAt, topupColumns, topupOf } from './topup.ts';

export type ReviewDeps = { allAccountsSql: Sql; now: () => Date };

/** A line within this many rupiah of a total may be its payment with the kode unik forgotten. */
const NEAR = 999;
const CANDIDATES_MAX = 5;
/** Beyond this many, a filtered list is not counted further. */
const COUNT_MAX = 10_000;

type SeenRow = TopupRow & {
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
  const wanted = filterOf(allAccountsSql, status, at);
  const [found, [counted]] = await Promise.all([
    allAccountsSql<{ topup_id: string; account_id: string }[]>`
      select topup_id, account_id from topups where ${wanted}
      order by topup_id ${sort_type === 'asc' ? allAccountsSql`asc` : allAccountsSql`desc`}
      limit ${PAGE_SIZE} offset ${Math.min(page * PAGE_SIZE, COUNT_MAX)}`,
    allAccountsSql<{ total: number }[]>`
      select count(*) as total from (select from topups where ${wanted} limit ${COUNT_MAX}) counted`,
  ]);
  const rows = await seen(
    allAccountsSql,
    found.map((row) => row.topup_id),
    at,
  );
  const byId = new Map(rows.map((row) => [row.topup_id, row]));
  return {
    rows: found.flatMap(({ topup_id }) => shown(byId.get(topup_id))),
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

const shown = (row: SeenRow | undefined): OperatorTopup[] => {
  if (!row) return [];
  const candidates = row.candidates.map(({ line, amount, description, at }) => ({
    line,
    amount,
    description,
    at: new Date(at),
  }));
  return [{ ...topupOf(row), account_name: row.account_name, candidates }];
};

function seen(allAccountsSql: Sql | Tx, topupIds: readonly string[], at: Date): Promise<SeenRow[]> {
  return allAccountsSql<SeenRow[]>`
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

type Held = { account_id: string; topup_id: string; status: string; total: number; bank: string };

/** Takes a top-up's row, whoever's it is. */
async function hold(tx: Tx, topupId: string, at: Date): Promise<Held> {
  const [held] = await tx<Held[]>`
    select account_id, topup_id, ${statusAt(tx, at)} as status, total, bank_number as bank
    from topups where topup_id = ${topupId} for no key update`;
  if (!held) throw new Refusal('not_found', { what: 'Isi saldo' });
  return held;
}

async function oneSeen(tx: Tx, topupId: string, at: Date): Promise<OperatorTopup> {
  const [one] = shown((await seen(tx, [topupId], at))[0]);
  if (!one) throw new Error('a top-up vanished');
  return one;
}

export type Decision = { topupId: string; operatorId: string; reason: string };

/**
 * Confirms a top-up by hand, from any state but paid and rejected: with a kept bank line (its `line`
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
  const work = async (tx: Tx) => {
    const held = await hold(tx, topupId, at);
    const topup = { accountId: held.account_id, topupId };
    const line = await lineOf(tx, held.bank, reference);
    const hash = line?.hash ?? hashOfReference(held.bank, reference);
    const amount = rupiah(line?.amount ?? held.total);
    const off = amount === held.total ? undefined : `Transfer yang masuk ${formatRupiah(amount)}.`;
    const note = [noteOfLate(held.status), off].filter(Boolean).join(' ');
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
      throw new Refusal('topup_amount_mismatch', { total: held.total, received: amount });
    }
    if (outcome !== 'applied') throw new Refusal('bank_line_used', {});
    if (line) await useLine(tx, line.hash, topup);
    await tx`
      insert into topup_decisions (account_id, topup_id, at, operator_id, decision, reason, reference)
      values (${topup.accountId}, ${topupId}, ${at}, ${operatorId}, 'confirmed', ${reason}, ${reference})`;
    return oneSeen(tx, topupId, at);
  };
  return allAccountsSql.begin(work);
}

type Line = { hash: string; amount: number };

/** The kept line that a person means: by its `line`, else by its reference, unused ones first. */
async function lineOf(tx: Tx, bank: string, reference: string): Promise<Line | undefined> {
  const [line] = await tx<Line[]>`
    select hash, amount from bank_lines
    where bank = ${bank} and (hash = ${reference} or reference = ${plain(reference)})
    order by topup_id is not null, at limit 1`;
  return line;
}

/**
 * Rejects a top-up that waits or is being looked at; the customer reads the reason.
 *
 * @throws Refusal `not_found`, `topup_already_paid`, `topup_closed`.
 */
export async function rejectTopupByHand(
  { allAccountsSql, now }: ReviewDeps,
  { topupId, operatorId, reason }: Decision,
): Promise<OperatorTopup> {
  const at = now();
  const work = async (tx: Tx) => {
    const held = await hold(tx, topupId, at);
    if (held.status === 'paid') throw new Refusal('topup_already_paid', {});
    if (held.status !== 'pending' && held.status !== 'review')
      throw new Refusal('topup_closed', {});
    await tx`
      update topups set status = 'rejected', note = ${reason}
      where account_id = ${held.account_id} and topup_id = ${topupId}`;
    await tx`
      insert into topup_decisions (account_id, topup_id, at, operator_id, decision, reason)
      values (${held.account_id}, ${topupId}, ${at}, ${operatorId}, 'rejected', ${reason})`;
    return oneSeen(tx, topupId, at);
  };
  return allAccountsSql.begin(work);
}
