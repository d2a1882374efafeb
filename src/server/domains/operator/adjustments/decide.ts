import { publicId, uuidOf } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type {
  Adjustment,
  AdjustmentDecision,
  AdjustmentKind,
} from '#contract/operator/money/desk.ts';
import { capturedPrice, walletOf } from '#server/domains/ledger/ledger.ts';
import { type PaidPayment, paymentOf, sendRefund } from '#server/domains/payments/payments.ts';
import { beginIn } from '#server/infra/postgres/distribution/scope.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import type { DeskDeps } from '#server/domains/operator/deps.ts';
import { adjustmentOf } from './list.ts';

type Decision = {
  id: string;
  accountId: string;
  kind: AdjustmentKind;
  operatorId: string;
  decision: AdjustmentDecision;
  note: string | null;
};

/**
 * The word on a proposal: `approve` books it, `refuse` and `withdraw` end it. Of two at once one decides.
 *
 * @throws Refusal `not_found`, `adjustment_closed`, `second_operator_needed`, and why it cannot be booked:
 *   then it stays as it was.
 */
export async function decideProposal(
  deps: DeskDeps,
  { id, ...word }: Pick<Decision, 'id' | 'operatorId' | 'decision' | 'note'>,
): Promise<Adjustment> {
  const [found] = await deps.allAccountsSql<{ account_id: string; kind: AdjustmentKind }[]>`
    select account_id, kind from adjustments where adjustment_id = ${id}`;
  if (!found) throw new Refusal('not_found', { what: 'Usulan' });
  const { account_id: accountId, kind } = found;
  const decided = await beginIn(deps.allAccountsSql, accountId, (tx) =>
    decide(deps, tx, { id, ...word, accountId, kind }),
  );
  return requestGatewayRefund(deps, decided, word.operatorId);
}

/** Asks the gateway to pay back a payment that was given back, once that is committed; others stay as they are. */
export async function requestGatewayRefund(
  deps: DeskDeps,
  given: Adjustment,
  operatorId: string,
): Promise<Adjustment> {
  const id = uuidOf('adjustment', given.id);
  if (given.refund !== 'gateway' || id === undefined) return given;
  // It is booked, and asked again each minute: what fails here is no refusal.
  await sendRefund(deps, id).catch(deps.report);
  return adjustmentOf(deps.allAccountsSql, id, { at: deps.now(), operatorId });
}

/** The same, in the transaction of its proposal when one operator is enough. */
export async function decide({ now }: DeskDeps, tx: Tx, given: Decision): Promise<Adjustment> {
  const { id, accountId, kind, operatorId, decision, note } = given;
  const at = now();
  const [answer] = await tx<{ outcome: string }[]>`
    select decide_adjustment(
      ${accountId}, ${id}, ${operatorId}, ${decision}, ${note}, ${at}, ${memoOf(kind, id)}
    ) as outcome`;
  const outcome = answer?.outcome ?? '';
  if (!['done', 'refused', 'withdrawn'].includes(outcome))
    throw await refusalOf(tx, given, outcome);
  return adjustmentOf(tx, id, { at, operatorId });
}

async function refusalOf(tx: Tx, given: Decision, outcome: string): Promise<Refusal | Error> {
  const { id, accountId } = given;
  switch (outcome) {
    case 'own':
    case 'not_own':
      return new Refusal('second_operator_needed', {});
    case 'decided':
    case 'expired':
      return new Refusal('adjustment_closed', {});
    case 'short': {
      const { available } = await walletOf(tx, accountId);
      return new Refusal('adjustment_saldo_short', { available });
    }
    case 'frozen':
      return new Refusal('wallet_frozen_payout', {});
    case 'closed':
      return new Refusal('account_ended', {});
    case 'over':
      return new Refusal('refund_too_large', { captured: await capturedOf(tx, id) });
    case 'done_before':
      return new Refusal('refund_done', {});
    case 'resolved':
    case 'unknown':
      return new Refusal('suspense_resolved', {});
    case 'given_back':
      return new Refusal('payment_refund_done', {});
    case 'saldo_short':
      return new Refusal('payment_saldo_short', { lacking: await lackingFor(tx, given) });
    case 'partly_returned':
      return new Refusal('payment_partly_returned', {
        left: (await paymentOfProposal(tx, given))?.left ?? null,
      });
    case 'red':
      return new Refusal('books_red', {});
    default:
      return new Error(`decide_adjustment answered ${outcome}`);
  }
}

type OfPayment = Pick<Decision, 'id' | 'accountId'>;

async function paymentOfProposal(
  tx: Tx,
  { id, accountId }: OfPayment,
): Promise<PaidPayment | undefined> {
  const [found] = await tx<{ topup_id: string }[]>`
    select topup_id from adjustments where account_id = ${accountId} and adjustment_id = ${id}`;
  return found && paymentOf(tx, found.topup_id);
}

async function lackingFor(tx: Tx, proposal: OfPayment): Promise<number> {
  const payment = await paymentOfProposal(tx, proposal);
  return payment ? payment.credited - (await walletOf(tx, proposal.accountId)).available : 0;
}

async function capturedOf(tx: Tx, id: string): Promise<number> {
  const [found] = await tx<{ account_id: string; message_id: string }[]>`
    select account_id, message_id from adjustments where adjustment_id = ${id}`;
  return found ? capturedPrice(tx, found.account_id, found.message_id) : 0;
}

/** What the customer reads beside the entry; never what operators wrote to each other. */
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
