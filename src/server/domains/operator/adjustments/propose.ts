import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { AdjustCause, Adjustment, AdjustmentKind } from '#contract/operator/books.ts';
import { type OperatorTies, customerOf, tiesOf } from '#server/domains/accounts/accounts.ts';
import { capturedPrice, walletOf } from '#server/domains/ledger/ledger.ts';
import {
  givenAlone,
  lockAlone,
  needsTwo,
  paymentOf,
  suspenseOf,
} from '#server/domains/payments/payments.ts';
import {
  beginIn,
  onCoordinator,
  readWhole,
  underLockOfAll,
} from '#server/infra/postgres/distribution/scope.ts';
import { newId } from '#server/infra/ids.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { OperatorDeps } from '#server/domains/operator/deps.ts';
import { bookOrRefuse, decide } from './decide.ts';
import { contraOf } from './causes.ts';
import { adjustmentOf } from './list.ts';
import { claimReference, withReferenceLock } from './references.ts';

export type ProposalRequest = { operatorId: string; key: string; reason: string };

type Proposal = {
  accountId: string;
  kind: AdjustmentKind;
  amount: Rupiah;
  glAccount?: string;
  messageId?: string;
  topupId?: string;
  provider?: string;
  txn?: string;
  reference?: string;
  payee?: string;
};

const LIFE_MS = 7 * 86_400_000;

type Adjust = { accountId: string; amount: Rupiah; cause: AdjustCause };

/** Adjusts a saldo: at once, or after a second operator approves. */
export const proposeAdjustment = (
  deps: OperatorDeps,
  { accountId, amount, cause }: Adjust,
  asking: ProposalRequest,
): Promise<Adjustment> =>
  propose(deps, accountId, asking, () => ({
    accountId,
    kind: 'adjust',
    amount,
    glAccount: contraOf[cause],
  }));

type Refund = { accountId: string; messageId: string; amount: Rupiah | undefined };

/**
 * Refunds the price of a message to the saldo.
 *
 * @throws Refusal `refund_too_large` when it exceeds the price, or when nothing was charged for the message.
 */
export const proposeRefund = (
  deps: OperatorDeps,
  { accountId, messageId, amount }: Refund,
  asking: ProposalRequest,
): Promise<Adjustment> =>
  propose(deps, accountId, asking, async (tx) => {
    const captured = await capturedPrice(tx, accountId, messageId);
    const refunded = amount ?? captured;
    if (refunded === 0 || refunded > captured) throw new Refusal('refund_too_large', { captured });
    return { accountId, kind: 'refund', amount: refunded, messageId };
  });

type Payout = { accountId: string; amount: Rupiah; reference: string; payee: string };

export const proposePayout = (
  deps: OperatorDeps,
  { accountId, amount, reference, payee }: Payout,
  asking: ProposalRequest,
): Promise<Adjustment> =>
  withReferenceLock(deps.allAccountsSql, reference, () =>
    propose(deps, accountId, asking, () => ({
      accountId,
      kind: 'payout',
      amount: rupiah(-amount),
      glAccount: 'cash:bank',
      reference,
      payee,
    })),
  );

type Suspense = { provider: string; txn: string; returned?: { reference: string; payee: string } };

/**
 * Resolves a payment in suspense: into the saldo, or back to its payer.
 *
 * @throws Refusal `suspense_resolved`, `not_found`.
 */
export async function proposeResolution(
  deps: OperatorDeps,
  { provider, txn, returned }: Suspense,
  asking: ProposalRequest,
): Promise<Adjustment> {
  const { account_id: accountId } = await suspenseOf(deps.allAccountsSql, { provider, txn });
  const resolve = () =>
    propose(deps, accountId, asking, async (tx) => {
      const { amount } = await suspenseOf(tx, { provider, txn });
      const payment = { accountId, provider, txn };
      return returned
        ? {
            ...payment,
            ...returned,
            kind: 'suspense_return',
            amount: rupiah(-amount),
            glAccount: `cash:${provider}`,
          }
        : { ...payment, kind: 'suspense_credit', amount };
    });
  return returned ? withReferenceLock(deps.allAccountsSql, returned.reference, resolve) : resolve();
}

/**
 * Stores a proposal, and books it at once where one operator is enough. Safe to repeat with the same key.
 *
 * @param describe returns the proposal, read in the transaction that stores it.
 */
export async function propose(
  deps: OperatorDeps,
  accountId: string,
  asking: ProposalRequest,
  describe: (tx: Tx) => Proposal | Promise<Proposal>,
): Promise<Adjustment> {
  const { allAccountsSql: sql } = deps;
  const ties = await onCoordinator(() => tiesOf(sql, asking.operatorId));
  const id = await bookOrRefuse(deps, () =>
    underLockOfAll(
      sql,
      (tx) => lockAlone(tx, ties),
      () =>
        beginIn(sql, accountId, async (tx) => {
          await lockAlone(tx, ties);
          return storeOnce(deps, tx, await describe(tx), { ...asking, ties });
        }),
    ),
  );
  return adjustmentOf(sql, id, { at: deps.now(), operatorId: asking.operatorId });
}

async function storeOnce(
  deps: OperatorDeps,
  tx: Tx,
  proposal: Proposal,
  { ties, ...asking }: ProposalRequest & { ties: OperatorTies },
): Promise<string> {
  const { accountId, kind } = proposal;
  const { operatorId } = asking;
  const at = deps.now();
  if (!(await customerOf(tx, accountId))) throw new Refusal('not_found', { what: 'Pelanggan' });
  // One proposal per customer at a time, so that sums are counted once.
  await tx`select pg_advisory_xact_lock(7206320, hashtext(${accountId}))`;
  const earlier = await findByRequestKey(tx, accountId, asking.key);
  if (earlier !== undefined) return earlier;
  if (kind === 'payment_refund') await refuseUnfit(tx, proposal, at);
  const { allAccountsSql: sql, config } = deps;
  const given = await readWhole({ sql, tx }, (from) => givenAlone(from, { ties, at }));
  const credit = { accountId, amount: Math.abs(proposal.amount) };
  const needsSecond = needsTwo(config, credit, given);
  const id = newId();
  await store(tx, { ...proposal, ...asking, id, at, needsSecond });
  if (!needsSecond) {
    const word = { operatorId, decision: 'approve', note: null } as const;
    await decide(deps, tx, { ...proposal, ...word, id });
  }
  return id;
}

/**
 * Refuses a payment that cannot be refunded. Later changes are checked at approval.
 *
 * @throws Refusal `payment_refund_done`, `payment_refund_waits`, `payment_partly_returned`, `payment_saldo_short`.
 */
async function refuseUnfit(tx: Tx, { accountId, topupId = '', ...proposal }: Proposal, at: Date) {
  const { provider = '', txn = '' } = proposal;
  const found = await tx<{ adjustment_id: string; status: string }[]>`
    select adjustment_id, status from adjustments
    where account_id = ${accountId} and kind = 'payment_refund'
      and provider = ${provider} and txn_id = ${txn}
      and (status = 'done' or (status = 'pending' and expires_at > ${at}))`;
  if (found.some(({ status }) => status === 'done')) throw new Refusal('payment_refund_done', {});
  if (found.length > 0) throw new Refusal('payment_refund_waits', {});
  const { credited, amount, left } = await paymentOf(tx, topupId);
  if (left !== amount) throw new Refusal('payment_partly_returned', { left });
  const { available } = await walletOf(tx, accountId);
  if (available < credited) {
    throw new Refusal('payment_saldo_short', { lacking: credited - available });
  }
}

async function findByRequestKey(
  tx: Tx,
  accountId: string,
  key: string,
): Promise<string | undefined> {
  const [found] = await tx<{ id: string }[]>`
    select adjustment_id as id from adjustments
    where account_id = ${accountId} and request_key = ${key}`;
  return found?.id;
}

type StoredProposal = Proposal & ProposalRequest & { id: string; at: Date; needsSecond: boolean };

async function store(tx: Tx, one: StoredProposal): Promise<void> {
  const { glAccount = null, at } = one;
  const expires = new Date(at.getTime() + LIFE_MS);
  const reference =
    one.reference === undefined || glAccount === null
      ? null
      : await claimReference(tx, { reference: one.reference, glAccount, at });
  const columns = {
    request_key: one.key,
    kind: one.kind,
    amount: one.amount,
    gl_account: glAccount,
    message_id: one.messageId,
    topup_id: one.topupId,
    provider: one.provider,
    txn_id: one.txn,
    reference,
    payee: one.payee,
    reason: one.reason,
    needs_second: one.needsSecond,
    proposed_by: one.operatorId,
    proposed_at: at,
    expires_at: expires,
  };
  await tx`select propose_adjustment(${one.accountId}, ${one.id}, ${json(columns)})`;
}
