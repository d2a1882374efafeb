import type { PaymentsDeps } from '#server/domains/payments/deps.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { alertActs } from './alerts.ts';
import { checkTopupHandler } from './gateways/orders.ts';
import { listMethodsHandler } from './gateways/methods.ts';
import { cancelTopupHandler } from './topups/cancel.ts';
import { createTopupHandler } from './topups/create.ts';
import {
  getTopupHandler,
  listTopupsHandler,
  findTopup,
  statusAt,
  saldoSummaryHandler,
} from './topups/topup.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { TOPUP_PROOFS_MAX, type Topup, uploadTransferProof } from '#contract/saldo.ts';
import { lateNote } from '#server/domains/payments/topups/pay.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { publicId } from '#contract/base/ids.ts';
import {
  type AccountData,
  type AccountDataDeps,
  type Row,
  atOnce,
  inPages,
} from '#server/infra/account-data.ts';

/** Top-ups, slips, transfers and the alert of an account. Amounts are never erased; slips and names of payers are. */
export const paymentsAccountData = ({ sql, allAccountsSql }: AccountDataDeps): AccountData => ({
  subjects: (accountId) => [
    { name: 'peringatan-saldo', rows: () => atOnce(() => alertsOf(sql, accountId)) },
    { name: 'isi-saldo', rows: () => topupsOf(sql, accountId) },
    { name: 'bukti-transfer', rows: () => proofsOf(sql, accountId) },
    { name: 'pengembalian-dana', rows: () => refundsOf(sql, accountId) },
    { name: 'transfer-masuk', rows: () => transfersOf(allAccountsSql, accountId) },
  ],
  erase: async ({ accountId }) => {
    await allAccountsSql`delete from saldo_alerts where account_id = ${accountId}`;
    await allAccountsSql`select erase_payers(${accountId})`;
  },
});

const alertsOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(
    sql,
    accountId,
    (tx) => tx<Row[]>`
      select threshold, fired_at from saldo_alerts where account_id = ${accountId}`,
  );

type Named = Row & { topup_id: string };

async function* topupsOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const topups = inPages<Named>(
    { sql, accountId },
    (tx, last, limit) => tx<Named[]>`
      select topup_id, status, method, provider, provider_ref, base, ppn, unique_code, total,
        credited, received, bank_name, bank_number, bank_holder, va_bank, va_number, created_at, expires_at, paid_at, note
      from topups where account_id = ${accountId} ${last ? tx`and topup_id > ${last.topup_id}` : tx``}
      order by topup_id limit ${limit}`,
  );
  for await (const { topup_id, ...facts } of topups) {
    yield { id: publicId('topup', topup_id), ...facts };
  }
}

type Proof = Named & { file_id: string };

async function* proofsOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const proofs = inPages<Proof>(
    { sql, accountId },
    (tx, last, limit) => tx<Proof[]>`
      select topup_id, file_id, name, mime, at from topup_proofs
      where account_id = ${accountId}
        ${last ? tx`and (topup_id, file_id) > (${last.topup_id}::uuid, ${last.file_id}::uuid)` : tx``}
      order by topup_id, file_id limit ${limit}`,
  );
  for await (const { topup_id, file_id, ...facts } of proofs) {
    yield { topup: publicId('topup', topup_id), file: publicId('file', file_id), ...facts };
  }
}

type Refund = Named & { refund_id: string };

async function* refundsOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const refunds = inPages<Refund>(
    { sql, accountId },
    (tx, last, limit) => tx<Refund[]>`
      select refund_id, topup_id, provider, amount, way, status, reason, reference, created_at, done_at
      from refunds
      where account_id = ${accountId} ${last ? tx`and refund_id > ${last.refund_id}` : tx``}
      order by refund_id limit ${limit}`,
  );
  for await (const { refund_id: _, topup_id, ...facts } of refunds) {
    yield { topup: publicId('topup', topup_id), ...facts };
  }
}

const LINES_AT_ONCE = 500;

type Line = Named & { hash: string };

/** Bank lines belong to the installation, so they are found through the top-ups they paid. */
async function* transfersOf(allAccountsSql: Sql, accountId: string): AsyncGenerator<Row> {
  let last: Line | undefined;
  for (;;) {
    const page: Line[] = await allAccountsSql<Line[]>`
      select topup_id, hash, bank, amount, description as sender, reference, at, received_at
      from bank_lines
      where account_id = ${accountId}
        ${last ? allAccountsSql`and (topup_id, hash) > (${last.topup_id}::uuid, ${last.hash}::text)` : allAccountsSql``}
      order by topup_id, hash limit ${LINES_AT_ONCE}`;
    for (const { topup_id, hash: _, ...facts } of page) {
      yield { topup: publicId('topup', topup_id), ...facts };
    }
    if (page.length < LINES_AT_ONCE) return;
    last = page.at(-1);
  }
}

export { countProposedFor, givenAlone, lockAlone, needsTwo } from './topups/four-eyes.ts';
export { saveAlert, type AlertWatch, startAlertWatch } from './alerts.ts';
export { receiveBankLine } from './bank.ts';
export {
  type MoneyWork,
  type StatusOf,
  checkGatewayPayments,
  bankFindings,
  holderOfTopup,
  moneyWork,
  unmatchedLines,
  paidSince,
  recentTopups,
  reconcilePayments,
} from './admin.ts';
export {
  type SuspenseRow,
  noteSuspense,
  suspenseOf,
  suspensePage,
  suspenseSum,
} from './suspense.ts';
export { findTopup, topupOfAccount, expireTopups } from './topups/topup.ts';
export { placeTopup } from './topups/create.ts';
export { countGatewayWork, pruneInbox } from './gateways/inbox.ts';
export { type OpenGateways, openGateways } from './gateways/open.ts';
export { flaggedPage, settleFlag } from './gateways/flags.ts';
export {
  type PaidPayment,
  accountOfManualRefund,
  normalizedReference,
  isRefundReference,
  openRefundsPage,
  paymentOf,
  refundStates,
} from './gateways/open-refunds.ts';
export type { OrderDeps, PaymentsDeps } from './deps.ts';
export { finishRefundByHand, retryRefunds, sendRefund } from './gateways/refund.ts';
export { simulatedPaymentHandler } from './gateways/simulated.ts';
export { gatewayStatusOf } from './gateways/status-of.ts';
export { startInbox, startOrderPolls } from './gateways/worker.ts';
export { type StatementDeps, importStatement, previewStatement } from './statements/import.ts';
export { bankLinesForOperator, confirmTwins, dismissLine } from './statements/lines.ts';
export { type ReviewDeps, topupsForOperator } from './topups/operator-list.ts';
export { checkTopupForOperator, confirmTopupByHand, rejectTopupByHand } from './topups/review.ts';

export const paymentsActs = (deps: PaymentsDeps): readonly ActHandler[] => [
  saldoSummaryHandler(deps),
  listMethodsHandler(deps),
  createTopupHandler(deps),
  listTopupsHandler(deps),
  getTopupHandler(deps),
  cancelTopupHandler(deps),
  checkTopupHandler(deps),
  proveTopupHandler(deps),
  ...alertActs(deps),
];

export const proveTopupHandler = (deps: PaymentsDeps) =>
  handle(uploadTransferProof, ({ caller: { accountId, userId } }, { topup_id, upload }) =>
    prove(deps, { accountId, userId, topupId: topup_id, uploadId: upload }),
  );

type Slip = { accountId: string; userId: string; topupId: string; uploadId: string };

/**
 * Stores a transfer slip with its top-up, in any state except paid and rejected, because late money counts. It moves no
 * money; it raises the top-up in the operators' list, and moves an expired or cancelled one into review. Repeats, with
 * any key, return the current top-up.
 *
 * @throws Refusal `not_found`, `upload_gone`, `topup_already_paid`, `topup_closed`, `topup_proof_unneeded`,
 *   `topup_proof_limit`.
 */
function prove(deps: PaymentsDeps, slip: Slip): Promise<Topup> {
  const { accountId, userId, topupId, uploadId } = slip;
  const at = deps.now();
  return asAccount(deps.sql, accountId, async (tx) => {
    const [topup] = await tx<{ status: string; provider: string }[]>`
      select ${statusAt(tx, at)} as status, provider from topups
      where account_id = ${accountId} and topup_id = ${topupId} for no key update`;
    if (!topup) throw new Refusal('not_found', { what: 'Isi saldo' });
    const source = { accountId, userId, uploadId, purpose: 'proof' } as const;
    const used = await deps.claimedFile(tx, source);
    const [proof] = await tx`
      select from topup_proofs
      where account_id = ${accountId} and topup_id = ${topupId} and file_id = ${used ?? null}`;
    if (proof) return findTopup(tx, { accountId, topupId, now: at });
    if (topup.status === 'paid') throw new Refusal('topup_already_paid', {});
    if (topup.status === 'rejected') throw new Refusal('topup_closed', {});
    if (topup.provider !== 'bank') throw new Refusal('topup_proof_unneeded', {});
    const [sent] = await tx<{ count: number }[]>`
      select count(*) as count from topup_proofs
      where account_id = ${accountId} and topup_id = ${topupId}`;
    if ((sent?.count ?? 0) >= TOPUP_PROOFS_MAX) {
      throw new Refusal('topup_proof_limit', { limit: TOPUP_PROOFS_MAX });
    }
    const fileId = await deps.claimUpload(tx, source);
    const { name, mime, sha256 } = await deps.describeFile(tx, { accountId, fileId });
    await tx`
      insert into topup_proofs (account_id, topup_id, file_id, name, mime, sha256, at)
      values (${accountId}, ${topupId}, ${fileId}, ${name}, ${mime}, ${sha256}, ${at})`;
    if (topup.status === 'expired' || topup.status === 'cancelled') {
      await tx`
        update topups set status = 'review', note = ${lateNote(topup.status) ?? null}
        where account_id = ${accountId} and topup_id = ${topupId}`;
    }
    return findTopup(tx, { accountId, topupId, now: at });
  });
}
