import type { OrderDeps } from '#server/domains/payments/deps.ts';
import { formatRupiah, rupiah } from '#contract/base/money.ts';
import type { OperatorTopup } from '#contract/operator/payments.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { bankReference } from '#contract/base/text.ts';
import { type Tx, retrying } from '#server/infra/postgres/database.ts';
import {
  beginIn,
  inAccount,
  readWhole,
  underLockOfAll,
} from '#server/infra/postgres/distribution/scope.ts';
import { type OperatorTies, tiesOf } from '#server/domains/accounts/accounts.ts';
import { holderOfTopup } from '#server/domains/payments/admin.ts';
import {
  NEAR,
  assignLine,
  hashOfReference,
  normalized,
  txnOf,
} from '#server/domains/payments/bank.ts';
import { checkOrder } from '#server/domains/payments/gateways/orders.ts';
import {
  decidedBefore,
  givenAlone,
  isDecided,
  lockAlone,
  needsTwo,
  proposeFirst,
  provesTo,
} from './four-eyes.ts';
import { type ReviewDeps, readForOperator } from './operator-list.ts';
import { applyPaid, lateNote } from './pay.ts';
import { statusAt } from './topup.ts';

/**
 * Checks a top-up at its gateway; a bank transfer is returned as it is.
 *
 * @throws Refusal `not_found`, `gateway_down`, `too_many_requests`.
 */
export async function checkTopupForOperator(
  deps: ReviewDeps & OrderDeps,
  { topupId, operatorId }: Pick<Decision, 'topupId' | 'operatorId'>,
): Promise<OperatorTopup> {
  return inAccount(await accountOf(deps, topupId), async () => {
    await checkOrder(deps, topupId);
    return readOne(deps, { topupId, operatorId });
  });
}

type LockedTopup = {
  account_id: string;
  topup_id: string;
  status: string;
  total: number;
  provider: string;
  /** Our receiving bank account; '' for a gateway. */
  bank: string;
};

/** One confirmation per customer at a time, so that sums are counted once. Take it before the top-up's lock. */
const lockDecisions = (tx: Tx, topupId: string) => tx`
  select pg_advisory_xact_lock(7206322, hashtext(account_id::text)) from topups
  where topup_id = ${topupId}`;

async function accountOf({ allAccountsSql }: ReviewDeps, topupId: string): Promise<string> {
  const accountId = await holderOfTopup(allAccountsSql, topupId);
  if (accountId === undefined) throw new Refusal('not_found', { what: 'Isi saldo' });
  return accountId;
}

async function lockTopup(tx: Tx, topupId: string, at: Date): Promise<LockedTopup> {
  const [locked] = await tx<LockedTopup[]>`
    select account_id, topup_id, ${statusAt(tx, at)} as status, total, provider,
      coalesce(bank_number, '') as bank
    from topups where topup_id = ${topupId} for no key update`;
  if (!locked) throw new Refusal('not_found', { what: 'Isi saldo' });
  return locked;
}

/** Reads the result after the commit, because a function of the owner writes payments. */
async function readOne(
  deps: ReviewDeps,
  { topupId, operatorId }: Pick<Decision, 'topupId' | 'operatorId'>,
): Promise<OperatorTopup> {
  const query = { ids: [topupId], at: deps.now(), operatorId };
  const [one] = await readForOperator(deps, query);
  if (!one) throw new Error('the decided top-up was not found');
  return one.topup;
}

export type Decision = { topupId: string; operatorId: string; reason: string };

/**
 * Confirms a bank transfer by hand, from any state except paid and rejected; gateway payments cannot be confirmed by
 * hand. It takes a stored bank line (by `line` or reference), or a reference whose line has not arrived, which vouches
 * for the exact amount.
 * Above the limit, without a line of exactly the total imported by another operator, it is only proposed, and paid once
 * another operator confirms the same.
 *
 * @throws Refusal `not_found`, `topup_already_paid`, `topup_closed`, `topup_decided` by another operator,
 *   `topup_at_gateway`, `topup_needs_another`, `operator_not_independent`, `bank_line_used`, `bank_line_twin`,
 *   `topup_amount_mismatch` when the line is more than Rp 999 off.
 */
export async function confirmTopupByHand(
  deps: ReviewDeps,
  decision: Decision & { reference: string },
): Promise<OperatorTopup> {
  const { topupId, operatorId, reason, reference } = decision;
  const at = deps.now();
  const { allAccountsSql: sql } = deps;
  const ties = await tiesOf(sql, operatorId);
  let tries = 0;
  const decide = async (tx: Tx): Promise<void> => {
    await lockAlone(tx, ties);
    await lockDecisions(tx, topupId);
    const locked = await lockTopup(tx, topupId, at);
    const topup = { accountId: locked.account_id, topupId };
    if (tries++ > 0 && (await isDecided(tx, { ...topup, operatorId, at }))) return;
    await decidedBefore(tx, { ...topup, operatorId });
    if (locked.status === 'paid') throw new Refusal('topup_already_paid', {});
    if (locked.provider !== 'bank') throw new Refusal('topup_at_gateway', {});
    const line = await lineOf(tx, locked.bank, reference);
    await refuseUsed(tx, locked.bank, { line, reference });
    if (line?.waits) throw new Refusal('bank_line_twin', {});
    const amount = rupiah(line?.amount ?? locked.total);
    let proposedBy: string | null = null;
    const given = await readWhole({ sql, tx }, (from) => givenAlone(from, { ties, at }));
    const isShown = provesTotal(line, locked.total, ties);
    const credit = { accountId: locked.account_id, amount: locked.total };
    if (!isShown && needsTwo(deps.config, credit, given)) {
      refuseUnfit(line, locked.total);
      const first = await proposeFirst(tx, { ...decision, ...topup, at, ties, isAgain: tries > 1 });
      if (first === undefined) return;
      proposedBy = first;
    }
    const hash = line?.hash ?? hashOfReference(locked.bank, reference);
    const off =
      amount === locked.total ? undefined : `Transfer yang masuk ${formatRupiah(amount)}.`;
    const note = [lateNote(locked.status), off].filter(Boolean).join(' ');
    const payment = {
      ...topup,
      txnId: txnOf(hash),
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
  };
  const accountId = await accountOf(deps, topupId);
  await retrying(() =>
    underLockOfAll(
      sql,
      (tx) => lockAlone(tx, ties),
      () => beginIn(sql, accountId, decide),
    ),
  );
  return inAccount(accountId, () => readOne(deps, decision));
}

/**
 * A line's money counts once, also if it joined a payment confirmed by its typed reference; and a typed reference
 * vouches for one payment, even if its line later had another text. An operator who means the line itself passes its
 * `line`.
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

/** Whether a line proves exactly the total to an operator; one that is set aside proves nothing. */
const provesTotal = (line: Line | undefined, total: number, ties: OperatorTies): boolean =>
  line?.amount === total && !line.dismissed && provesTo(ties, line.imported_by);

function refuseUnfit(line: Line | undefined, total: number): void {
  if (line && Math.abs(line.amount - total) > NEAR) {
    throw new Refusal('topup_amount_mismatch', { total, received: line.amount });
  }
}

type Line = {
  hash: string;
  amount: number;
  used: boolean;
  imported_by: string | null;
  dismissed: boolean;
  waits: boolean;
};

/** Finds and locks the stored line that an operator means: by its `line`, else by its reference, unused ones first. */
async function lineOf(tx: Tx, bank: string, reference: string): Promise<Line | undefined> {
  const [line] = await tx<Line[]>`
    select hash, amount, topup_id is not null as used, imported_by,
      dismissed_at is not null as dismissed,
      twin_of is not null and both_at is null as waits
    from bank_lines
    where bank = ${bank} and (hash = ${reference}
        or reference = any(${[bankReference(reference), normalized(reference)]}::text[]))
    order by topup_id is not null, at limit 1 for no key update`;
  return line;
}

/**
 * Rejects a top-up that is pending or in review; the customer sees the reason.
 *
 * @throws Refusal `not_found`, `topup_already_paid`, `topup_closed`, `topup_decided` by another operator.
 */
export async function rejectTopupByHand(
  deps: ReviewDeps,
  decision: Decision,
): Promise<OperatorTopup> {
  const { topupId, operatorId, reason } = decision;
  const at = deps.now();
  let tries = 0;
  const decide = async (tx: Tx): Promise<void> => {
    const locked = await lockTopup(tx, topupId, at);
    const topup = { accountId: locked.account_id, topupId };
    if (tries++ > 0 && (await isDecided(tx, { ...topup, operatorId, at }))) return;
    await decidedBefore(tx, { ...topup, operatorId });
    if (locked.status === 'paid') throw new Refusal('topup_already_paid', {});
    if (locked.status !== 'pending' && locked.status !== 'review')
      throw new Refusal('topup_closed', {});
    await tx`
      update topups set status = 'rejected', note = ${reason}
      where account_id = ${locked.account_id} and topup_id = ${topupId}`;
    await tx`
      insert into topup_decisions (account_id, topup_id, at, operator_id, decision, reason)
      values (${locked.account_id}, ${topupId}, ${at}, ${operatorId}, 'rejected', ${reason})`;
  };
  const accountId = await accountOf(deps, topupId);
  await retrying(() => beginIn(deps.allAccountsSql, accountId, decide));
  return inAccount(accountId, () => readOne(deps, decision));
}
