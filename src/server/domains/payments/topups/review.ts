import { PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { formatRupiah, rupiah } from '#contract/base/money.ts';
import type { PaymentRefund } from '#contract/operator/desk.ts';
import type { OperatorTopup, OperatorTopupFilter } from '#contract/operator.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Config } from '#server/infra/config.ts';
import { type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';
import {
  NEAR,
  assignLine,
  hashOfReference,
  normalized,
  txnOf,
} from '#server/domains/payments/bank.ts';
import { refundStateOf } from '#server/domains/payments/gateways/open-refunds.ts';
import { applyPaid, lateNote } from './pay.ts';
import {
  type Proposal,
  vouchedAlone,
  decidedBefore,
  needsTwo,
  proposalsOf,
  proposeFirst,
} from './four-eyes.ts';
import { type TopupRow, statusAt, topupColumns, topupOf } from './topup.ts';

export type ReviewDeps = {
  allAccountsSql: Sql;
  now: () => Date;
  config: Pick<Config, 'FOUR_EYES_ABOVE'>;
  /** The signed address of an account's file. */
  fileLink: (accountId: string, fileId: string) => string;
};

const CANDIDATES_MAX = 5;
/** Beyond this many, a filtered list is not counted further. */
const COUNT_MAX = 10_000;

type OperatorRow = TopupRow & {
  account_name: string;
  candidates: { line: string; amount: number; description: string; at: string; mine: boolean }[];
  slip: SlipRow | null;
  refund: PaymentRefund | null;
};

type SlipRow = {
  file_id: string;
  name: string;
  mime: string;
  at: string;
  used_before: { topup_id: string; account_name: string; at: string } | null;
};

type Query = {
  /** Who asks: their own proposals are theirs. */
  operatorId: string;
  status?: OperatorTopupFilter | undefined;
  page?: number | undefined;
  sort_type?: 'asc' | 'desc' | undefined;
};

/**
 * A page of all accounts' top-ups, each with the unused bank lines that could be its payment. Of those that
 * wait, the ones with a slip come first, unless a sort is asked for.
 */
export async function topupsForOperator(
  deps: ReviewDeps,
  { operatorId, status, page = 0, sort_type }: Query,
): Promise<PageOf<OperatorTopup>> {
  const { allAccountsSql } = deps;
  const at = deps.now();
  const filter = filterOf(allAccountsSql, status, at);
  const [found, [counted]] = await Promise.all([
    allAccountsSql<{ topup_id: string; account_id: string }[]>`
      select topup_id, account_id from topups where ${filter}
      order by ${status === 'open' && sort_type === undefined ? slipsFirst(allAccountsSql) : allAccountsSql``}
        topup_id ${sort_type === 'asc' ? allAccountsSql`asc` : allAccountsSql`desc`}
      limit ${PAGE_SIZE} offset ${Math.min(page * PAGE_SIZE, COUNT_MAX)}`,
    allAccountsSql<{ total: number }[]>`
      select count(*) as total from (select from topups where ${filter} limit ${COUNT_MAX}) counted`,
  ]);
  const ids = found.map((row) => row.topup_id);
  const read = await readForOperator(deps, allAccountsSql, { ids, at, operatorId });
  const byId = new Map(read.map(({ id, topup }) => [id, topup]));
  return {
    rows: ids.flatMap((id) => byId.get(id) ?? []),
    total: counted?.total ?? 0,
  };
}

function filterOf(allAccountsSql: Sql, status: OperatorTopupFilter | undefined, at: Date) {
  if (status === undefined) return allAccountsSql`true`;
  if (status === 'open')
    return allAccountsSql`${statusAt(allAccountsSql, at)} in ('pending', 'review')
    and status in ('pending', 'review')`;
  // A pending row may be an expired one that no job has closed yet.
  const stored = status === 'expired' ? ['expired', 'pending', 'creating'] : [status];
  return allAccountsSql`${statusAt(allAccountsSql, at)} = ${status} and status = any (${stored}::text[])`;
}

const slipsFirst = (sql: Sql) => sql`
  exists (
    select from topup_proofs p
    where p.account_id = topups.account_id and p.topup_id = topups.topup_id
  ) desc,`;

/** A row as the operator who asks sees it. */
function operatorTopup(
  { config, fileLink }: Pick<ReviewDeps, 'config' | 'fileLink'>,
  row: OperatorRow,
  { proposal, alone }: { proposal: Proposal | undefined; alone: number },
): OperatorTopup {
  const { slip } = row;
  return {
    ...topupOf(row),
    account_name: row.account_name,
    candidates: row.candidates.map((line) => ({ ...line, at: new Date(line.at) })),
    slip: slip && {
      url: fileLink(row.account_id, slip.file_id),
      name: slip.name,
      mime: slip.mime,
      at: new Date(slip.at),
      used_before: slip.used_before && {
        topup_id: publicId('topup', slip.used_before.topup_id),
        account_name: slip.used_before.account_name,
        at: new Date(slip.used_before.at),
      },
    },
    refund: row.refund,
    needs_two: needsTwo(config, row.total + alone),
    proposal: proposal ?? null,
  };
}

type Asked = { ids: readonly string[]; at: Date; operatorId: string };

async function readForOperator(
  deps: ReviewDeps,
  sql: Sql | Tx,
  { ids, at, operatorId }: Asked,
): Promise<{ id: string; topup: OperatorTopup }[]> {
  const rows = await sql<OperatorRow[]>`
    select ${topupColumns(sql, at)}, accounts.name as account_name, lines.candidates, slips.slip, (
        select ${refundStateOf(sql)} from refunds
        join provider_payments p using (account_id, provider, txn_id)
        where refunds.account_id = topups.account_id and refunds.topup_id = topups.topup_id
          and p.outcome = 'paid'
      ) as refund
    from topups
    join accounts using (account_id)
    cross join lateral (
      select coalesce(jsonb_agg(to_jsonb(near) - 'off' order by off, near.at), '[]') as candidates
      from (
        select hash as line, amount, description, bank_lines.at,
          imported_by is not distinct from ${operatorId}::uuid as mine, abs(amount - topups.total) as off
        from bank_lines
        where topups.status not in ('paid', 'rejected') and bank_lines.topup_id is null
          and bank_lines.dismissed_at is null and bank = topups.bank_number
          and amount between topups.total - ${NEAR} and topups.total + ${NEAR}
          and bank_lines.at >= topups.created_at - interval '1 day'
        order by off, bank_lines.at limit ${CANDIDATES_MAX}
      ) near
    ) lines
    cross join lateral (select ${newestSlip(sql)} as slip) slips
    where topups.topup_id = any (${[...ids]}::uuid[])`;
  const proposals = await proposalsOf(sql, ids, operatorId);
  const accountIds = rows.map(({ account_id }) => account_id);
  const alone = await vouchedAlone(sql, { operatorId, accountIds, at });
  return rows.map((row) => ({
    id: row.topup_id,
    topup: operatorTopup(deps, row, {
      proposal: proposals.get(row.topup_id),
      alone: isDecided(row) ? 0 : (alone.get(row.account_id) ?? 0),
    }),
  }));
}

const isDecided = ({ status }: OperatorRow): boolean => status === 'paid' || status === 'rejected';

/** The newest slip of a row of `topups`, with the earlier top-up that the same file was sent for. */
const newestSlip = (sql: Sql | Tx) => sql`(
  select jsonb_build_object(
    'file_id', p.file_id, 'name', p.name, 'mime', p.mime, 'at', p.at, 'used_before', (
      select jsonb_build_object('topup_id', o.topup_id, 'account_name', a.name, 'at', o.at)
      from topup_proofs o join accounts a on a.account_id = o.account_id
      where o.sha256 = p.sha256 and o.topup_id <> p.topup_id and o.at <= p.at
      order by o.at limit 1
    )
  )
  from topup_proofs p
  where p.account_id = topups.account_id and p.topup_id = topups.topup_id
  order by p.at desc, p.file_id desc limit 1
)`;

type LockedTopup = {
  account_id: string;
  topup_id: string;
  status: string;
  total: number;
  provider: string;
  /** Our account that it is transferred to; '' where it goes through a gateway. */
  bank: string;
};

/** Of one customer one confirmation at a time: what counts together is counted once. Before the top-up's lock. */
const lockDecisions = (tx: Tx, topupId: string) => tx`
  select pg_advisory_xact_lock(7206322, hashtext(account_id::text)) from topups
  where topup_id = ${topupId}`;

/** Locks a top-up's row, of any account. */
async function lockTopup(tx: Tx, topupId: string, at: Date): Promise<LockedTopup> {
  const [locked] = await tx<LockedTopup[]>`
    select account_id, topup_id, ${statusAt(tx, at)} as status, total, provider,
      coalesce(bank_number, '') as bank
    from topups where topup_id = ${topupId} for no key update`;
  if (!locked) throw new Refusal('not_found', { what: 'Isi saldo' });
  return locked;
}

async function readOne(
  deps: ReviewDeps,
  tx: Tx,
  { topupId, operatorId }: Pick<Decision, 'topupId' | 'operatorId'>,
): Promise<OperatorTopup> {
  const [one] = await readForOperator(deps, tx, { ids: [topupId], at: deps.now(), operatorId });
  if (!one) throw new Error('a top-up vanished');
  return one.topup;
}

export type Decision = { topupId: string; operatorId: string; reason: string };

/**
 * Confirms a top-up by hand, from any state but paid and rejected: with a stored bank line (its `line`
 * or its reference), or with a reference whose line has not come, which vouches for the exact amount.
 * Above the limit, without a line of exactly the total that somebody else imported, it is proposed,
 * and paid once another operator says the same.
 *
 * @throws Refusal `not_found`, `topup_already_paid`, `topup_closed`, `topup_decided` by somebody else,
 *   `topup_needs_another`, `bank_line_used`, `topup_amount_mismatch` when the line is more than Rp 999 off.
 */
export async function confirmTopupByHand(
  deps: ReviewDeps,
  decision: Decision & { reference: string },
): Promise<OperatorTopup> {
  const { topupId, operatorId, reason, reference } = decision;
  const at = deps.now();
  const decide = async (tx: Tx) => {
    await lockDecisions(tx, topupId);
    const locked = await lockTopup(tx, topupId, at);
    const topup = { accountId: locked.account_id, topupId };
    await decidedBefore(tx, { ...topup, operatorId });
    const line = await lineOf(tx, locked.bank, reference);
    if (locked.status !== 'paid') await refuseUsed(tx, locked.bank, { line, reference });
    const amount = rupiah(line?.amount ?? locked.total);
    let proposedBy: string | null = null;
    const alone = await vouchedAlone(tx, { operatorId, accountIds: [locked.account_id], at });
    const sum = locked.total + (alone.get(locked.account_id) ?? 0);
    const isShown = line?.amount === locked.total && line.imported_by !== operatorId;
    if (needsTwo(deps.config, sum) && !isShown) {
      refuseUnfit(line, locked.total);
      const first = await proposeFirst(tx, { ...decision, ...topup, at });
      if (first === undefined) return readOne(deps, tx, decision);
      proposedBy = first;
    }
    const hash = line?.hash ?? hashOfReference(locked.bank, reference);
    const off =
      amount === locked.total ? undefined : `Transfer yang masuk ${formatRupiah(amount)}.`;
    const note = [lateNote(locked.status), off].filter(Boolean).join(' ');
    const payment = {
      ...topup,
      // What an operator saw at a gateway is that gateway's payment: its own notice changes nothing then.
      txnId: locked.provider === 'bank' ? txnOf(hash) : reference.trim(),
      amount,
      at,
      actor: `operator:${operatorId}`,
      ...(note !== '' && { note }),
    };
    const outcome = await applyPaid(tx, payment, { byHand: true });
    if (outcome === 'already_paid') throw new Refusal('topup_already_paid', {});
    if (outcome === 'closed') throw new Refusal('topup_closed', {});
    if (outcome === 'amount_mismatch') {
      throw new Refusal('topup_amount_mismatch', { total: locked.total, received: amount });
    }
    if (outcome !== 'applied') throw new Refusal('bank_line_used', {});
    if (line) await assignLine(tx, line.hash, topup);
    await tx`
      insert into topup_decisions (
        account_id, topup_id, at, operator_id, decision, reason, reference, proposed_by
      ) values (
        ${topup.accountId}, ${topupId}, ${at}, ${operatorId}, 'confirmed', ${reason}, ${reference},
        ${proposedBy}
      )`;
    return readOne(deps, tx, decision);
  };
  return retrying(() => deps.allAccountsSql.begin(decide));
}

/**
 * A line's money counts once, also where it joined a payment that its reference was typed for before; and a
 * reference that was typed vouches for one payment, whatever the line says that came with it since. Who
 * means the line itself names it by its `line`.
 */
async function refuseUsed(
  tx: Tx,
  bank: string,
  { line, reference }: { line: Line | undefined; reference: string },
): Promise<void> {
  if (!line) return;
  const vouched = await tx`
    select from provider_payments
    where provider = 'bank' and txn_id = ${txnOf(hashOfReference(bank, reference))}`;
  if (line.used || vouched.length > 0) throw new Refusal('bank_line_used', {});
}

/** Nobody proposes what could not be confirmed. */
function refuseUnfit(line: Line | undefined, total: number): void {
  if (line && Math.abs(line.amount - total) > NEAR) {
    throw new Refusal('topup_amount_mismatch', { total, received: line.amount });
  }
}

type Line = { hash: string; amount: number; used: boolean; imported_by: string | null };

/** The stored line that an operator means, locked: by its `line`, else by its reference, unused ones first. */
async function lineOf(tx: Tx, bank: string, reference: string): Promise<Line | undefined> {
  const [line] = await tx<Line[]>`
    select hash, amount, topup_id is not null as used, imported_by from bank_lines
    where bank = ${bank} and (hash = ${reference} or reference = ${normalized(reference)})
    order by topup_id is not null, at limit 1 for no key update`;
  return line;
}

/**
 * Rejects a top-up that is pending or in review; the customer sees the reason.
 *
 * @throws Refusal `not_found`, `topup_already_paid`, `topup_closed`, `topup_decided` by somebody else.
 */
export async function rejectTopupByHand(
  deps: ReviewDeps,
  decision: Decision,
): Promise<OperatorTopup> {
  const { topupId, operatorId, reason } = decision;
  const at = deps.now();
  const decide = async (tx: Tx) => {
    const locked = await lockTopup(tx, topupId, at);
    await decidedBefore(tx, { accountId: locked.account_id, topupId, operatorId });
    if (locked.status === 'paid') throw new Refusal('topup_already_paid', {});
    if (locked.status !== 'pending' && locked.status !== 'review')
      throw new Refusal('topup_closed', {});
    await tx`
      update topups set status = 'rejected', note = ${reason}
      where account_id = ${locked.account_id} and topup_id = ${topupId}`;
    await tx`
      insert into topup_decisions (account_id, topup_id, at, operator_id, decision, reason)
      values (${locked.account_id}, ${topupId}, ${at}, ${operatorId}, 'rejected', ${reason})`;
    return readOne(deps, tx, decision);
  };
  return retrying(() => deps.allAccountsSql.begin(decide));
}
