import { publicId, uuidOf } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Adjustment, AdjustmentDecision, AdjustmentKind } from '#contract/operator/books.ts';
import { isSecondFor, tiesOf } from '#server/domains/accounts/accounts.ts';
import { capturedPrice, walletOf } from '#server/domains/ledger/ledger.ts';
import { type PaidPayment, paymentOf, sendRefund } from '#server/domains/payments/payments.ts';
import { beginIn, inAccount } from '#server/infra/postgres/distribution/scope.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { OperatorDeps } from '#server/domains/operator/deps.ts';
import { adjustmentOf } from './list.ts';

type Decision = {
  id: string;
  accountId: string;
  kind: AdjustmentKind;
  operatorId: string;
  decision: AdjustmentDecision;
  note: string | null;
  messageId?: string | undefined;
  topupId?: string | undefined;
};

/** The ledger refused the booking. The caller maps it to a refusal after the rollback. */
class BookingRefused extends Error {
  readonly given: Decision;
  readonly outcome: string;

  constructor(given: Decision, outcome: string) {
    super(`not booked: ${outcome}`);
    this.given = given;
    this.outcome = outcome;
  }
}

/**
 * Decides on a proposal: `approve` books it, `refuse` and `withdraw` close it. One of two concurrent decisions wins.
 *
 * @throws Refusal `not_found`, `adjustment_closed`, `second_operator_needed`, and the reason it cannot be booked; then
 *   it stays pending.
 */
export async function decideProposal(
  deps: OperatorDeps,
  { id, ...word }: Pick<Decision, 'id' | 'operatorId' | 'decision' | 'note'>,
): Promise<Adjustment> {
  const { allAccountsSql: sql } = deps;
  type Found = Pick<Decision, 'accountId' | 'kind'> &
    Record<'messageId' | 'topupId', string | null> & { proposedBy: string };
  const [found] = await sql<Found[]>`
    select account_id as "accountId", kind, message_id as "messageId", topup_id as "topupId",
      proposed_by as "proposedBy"
    from adjustments where adjustment_id = ${id}`;
  if (!found) throw new Refusal('not_found', { what: 'Usulan' });
  if (word.decision === 'approve' && found.proposedBy !== word.operatorId) {
    await requireIndependentOperator(sql, word.operatorId, found.proposedBy);
  }
  const { accountId, kind, messageId, topupId } = found;
  const about = { messageId: messageId ?? undefined, topupId: topupId ?? undefined };
  await bookOrRefuse(deps, () =>
    beginIn(sql, accountId, (tx) => decide(deps, tx, { id, ...word, accountId, kind, ...about })),
  );
  const { operatorId } = word;
  const decided = await adjustmentOf(sql, id, { at: deps.now(), operatorId });
  return requestGatewayRefund(deps, decided, operatorId);
}

/** @throws Refusal `operator_not_independent` when the operator is not independent of the proposer. */
export async function requireIndependentOperator(
  sql: Sql,
  operatorId: string,
  proposerId: string,
): Promise<void> {
  if (isSecondFor(await tiesOf(sql, operatorId), proposerId)) return;
  throw new Refusal('operator_not_independent', {});
}

/**
 * Runs a transaction that decides on a proposal. The reason of a refusal is read after it: a function of the owner has
 * written there, and in a distributed database no other role can read that within the transaction.
 */
export async function bookOrRefuse<T>(
  { allAccountsSql: sql }: Pick<OperatorDeps, 'allAccountsSql'>,
  transaction: () => Promise<T>,
): Promise<T> {
  try {
    return await transaction();
  } catch (error) {
    if (!(error instanceof BookingRefused)) throw error;
    const { given, outcome } = error;
    throw await inAccount(given.accountId, () => refusalOf(sql, given, outcome));
  }
}

/** Asks the gateway to pay back a returned payment after the commit; does nothing for other proposals. */
export async function requestGatewayRefund(
  deps: OperatorDeps,
  given: Adjustment,
  operatorId: string,
): Promise<Adjustment> {
  const id = uuidOf('adjustment', given.id);
  if (given.refund !== 'gateway' || id === undefined) return given;
  // It is booked and retried each minute, so a failure here is not a refusal.
  await sendRefund(deps, id).catch(deps.report);
  return adjustmentOf(deps.allAccountsSql, id, { at: deps.now(), operatorId });
}

/** Decides on a proposal within the caller's transaction; see `bookOrRefuse`. */
export async function decide({ now }: OperatorDeps, tx: Tx, given: Decision): Promise<void> {
  const { id, accountId, kind, operatorId, decision, note } = given;
  const [answer] = await tx<{ outcome: string }[]>`
    select decide_adjustment(
      ${accountId}, ${id}, ${operatorId}, ${decision}, ${note}, ${now()}, ${memoOf(kind, id)}
    ) as outcome`;
  const outcome = answer?.outcome ?? '';
  if (!['done', 'refused', 'withdrawn'].includes(outcome)) throw new BookingRefused(given, outcome);
}

async function refusalOf(sql: Sql, given: Decision, outcome: string): Promise<Refusal | Error> {
  const { accountId, messageId } = given;
  switch (outcome) {
    case 'own':
    case 'not_own':
      return new Refusal('second_operator_needed', {});
    case 'decided':
    case 'expired':
      return new Refusal('adjustment_closed', {});
    case 'short': {
      const { available } = await walletOf(sql, accountId);
      return new Refusal('adjustment_saldo_short', { available });
    }
    case 'frozen':
      return new Refusal('wallet_frozen_payout', {});
    case 'closed':
      return new Refusal('account_ended', {});
    case 'over':
      return new Refusal('refund_too_large', {
        captured: messageId === undefined ? 0 : await capturedPrice(sql, accountId, messageId),
      });
    case 'done_before':
      return new Refusal('refund_done', {});
    case 'resolved':
    case 'unknown':
      return new Refusal('suspense_resolved', {});
    case 'given_back':
      return new Refusal('payment_refund_done', {});
    case 'saldo_short':
      return new Refusal('payment_saldo_short', { lacking: await lackingFor(sql, given) });
    case 'partly_returned':
      return new Refusal('payment_partly_returned', {
        left: (await paymentOfProposal(sql, given))?.left ?? null,
      });
    case 'red':
      return new Refusal('books_red', {});
    default:
      return new Error(`decide_adjustment answered ${outcome}`);
  }
}

async function paymentOfProposal(
  sql: Sql,
  { topupId }: Decision,
): Promise<PaidPayment | undefined> {
  return topupId === undefined ? undefined : paymentOf(sql, topupId);
}

async function lackingFor(sql: Sql, proposal: Decision): Promise<number> {
  const payment = await paymentOfProposal(sql, proposal);
  return payment ? payment.credited - (await walletOf(sql, proposal.accountId)).available : 0;
}

/** The text that the customer sees beside the entry; never the operators' notes. */
const memoOf = (kind: AdjustmentKind, id: string): string =>
  `${memos[kind]} (${publicId('adjustment', id)})`;

const memos: Record<AdjustmentKind, string> = {
  adjust: 'Penyesuaian saldo oleh Kabari',
  refund: 'Biaya pesan dikembalikan',
  payout: 'Saldo dicairkan ke rekening Anda',
  suspense_credit: 'Pembayaran kedua dimasukkan ke saldo',
  suspense_return: 'Pembayaran kedua dikembalikan ke rekening pengirim',
  payment_refund: 'Pembayaran isi saldo dikembalikan',
};
