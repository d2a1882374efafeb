import { Refusal } from '#contract/base/refusals.ts';
import type * as contract from '#contract/operator/customers.ts';
import type { OperatorCustomerDetail, FoundRecord } from '#contract/operator/customers.ts';
import {
  type OperatorTies,
  changeAccount,
  customerOf,
  endSessionsOfAccount,
  notifySuspensions,
  tiesOf,
  maskedPeer,
  operatorNames,
  sessionsOfAccount,
  suspensionSteps,
  type CustomerRow,
  findCustomers,
  maskedPhone,
} from '#server/domains/accounts/accounts.ts';
import {
  endSubscriptionNow,
  subscriptionForOperator,
  recentInvoices,
  isOnPlan,
  plansOfAccounts,
  holderOfInvoice,
  invoiceOfAccount,
} from '#server/domains/billing/billing.ts';
import {
  lockWallet,
  restrictToBonus,
  setWalletFrozen,
  recentEntries,
  walletOf,
} from '#server/domains/ledger/ledger.ts';
import type { ConsoleDeps, OperatorDeps } from '#server/domains/operator/deps.ts';
import {
  givenAlone,
  lockAlone,
  needsTwo,
  recentTopups,
  holderOfTopup,
  topupOfAccount,
} from '#server/domains/payments/payments.ts';
import {
  wakeLane,
  lastFailures,
  messageSums,
  accountOfMessage,
  findMessageByRef,
  messageForAdmin,
  messageTextForAdmin,
  waitingOf,
} from '#server/domains/messages/messages.ts';
import {
  suspendTokens,
  tokensOfAccount,
  type HeldToken,
  holderOfToken,
  tokensOfHint,
  tokensOfPhones,
  tokenOfAccount,
} from '#server/domains/tokens/tokens.ts';
import { newId } from '#server/infra/ids.ts';
import type { Tx, Sql } from '#server/infra/postgres/database.ts';
import { publicId, type IdKind, idPrefixes, uuidOf } from '#contract/base/ids.ts';
import { formatPhone } from '#contract/base/phone.ts';
import type { InputOf, PageOf, OutputOf } from '#contract/base/act.ts';
import { rupiah } from '#contract/base/money.ts';
import { normalizePhone } from '#contract/base/written-number.ts';
import type { Invoice } from '#contract/billing.ts';
import type {
  OperatorMessage,
  OperatorToken,
  readCustomerMessage,
} from '#contract/operator/customers.ts';
import type { Topup } from '#contract/saldo.ts';

type CustomerAction = { accountId: string; reason: string; operatorId: string };

/** @throws Refusal `not_found`, `account_ended`. */
async function refuseEnded(tx: Tx, accountId: string): Promise<void> {
  const found = await customerOf(tx, accountId);
  if (!found) throw new Refusal('not_found', { what: 'Pelanggan' });
  if (found.state === 'closed') throw new Refusal('account_ended', {});
}

/**
 * Freezes or unfreezes a wallet, and records operator and reason. Repeating it changes nothing.
 *
 * @throws Refusal `not_found`, `account_ended`.
 */
export async function freezeCustomer(
  deps: Pick<OperatorDeps, 'allAccountsSql' | 'now'>,
  { accountId, isFrozen, reason, operatorId }: CustomerAction & { isFrozen: boolean },
): Promise<OperatorCustomerDetail> {
  await deps.allAccountsSql.begin(async (tx) => {
    if (!(await customerOf(tx, accountId))) throw new Refusal('not_found', { what: 'Pelanggan' });
    const changed = await setWalletFrozen(tx, accountId, isFrozen);
    if (changed === undefined) throw new Refusal('account_ended', {});
    if (!changed) return;
    await tx`
      insert into wallet_freezes (account_id, freeze_id, is_frozen, reason, operator_id, at)
      values (${accountId}, ${newId()}, ${isFrozen}, ${reason}, ${operatorId}, ${deps.now()})`;
  });
  return customerDetail(deps, accountId);
}

/**
 * Refuses an action above the limit of one operator, because it has no proposal for a second one. Call it under
 * `lockAlone`.
 *
 * @throws Refusal `operator_limit_reached`.
 */
async function refuseAboveLimit(
  tx: Tx,
  { config }: Pick<OperatorDeps, 'config'>,
  { ties, at, ...asked }: { accountId: string; amount: number; ties: OperatorTies; at: Date },
): Promise<void> {
  if (asked.amount === 0) return;
  if (needsTwo(config, asked, await givenAlone(tx, { ties, at }))) {
    throw new Refusal('operator_limit_reached', {});
  }
}

/**
 * Allows a customer to spend the welcome bonus on any number, and records operator and reason. Repeating it changes
 * nothing.
 *
 * @throws Refusal `not_found`, `account_ended`, `operator_limit_reached`.
 */
export async function approveBonus(
  deps: Pick<OperatorDeps, 'allAccountsSql' | 'now' | 'config'>,
  { accountId, reason, operatorId }: CustomerAction,
): Promise<OperatorCustomerDetail> {
  const at = deps.now();
  const ties = await tiesOf(deps.allAccountsSql, operatorId);
  await deps.allAccountsSql.begin(async (tx) => {
    await lockAlone(tx, ties);
    await refuseEnded(tx, accountId);
    const { isBonusOnly, available: amount } = await lockWallet(tx, accountId);
    if (!isBonusOnly) return;
    await refuseAboveLimit(tx, deps, { accountId, amount, ties, at });
    await restrictToBonus(tx, accountId, false);
    await tx`
      insert into bonus_approvals (account_id, reason, operator_id, at, amount)
      values (${accountId}, ${reason}, ${operatorId}, ${at}, ${amount})`;
  });
  return customerDetail(deps, accountId);
}

/**
 * Suspends or reactivates a customer, and sends them the reason. Suspending ends sessions and open links, and stops
 * accepting and sending; queued messages stay, and continue afterwards or expire. Repeating it changes nothing.
 *
 * @throws Refusal `not_found`, `account_ended`.
 */
export async function suspendCustomer(
  deps: ConsoleDeps,
  order: CustomerAction & { becomes: 'suspended' | 'active' },
): Promise<OperatorCustomerDetail> {
  const { accountId, becomes } = order;
  const ended = await deps.allAccountsSql.begin(async (tx) => {
    await refuseEnded(tx, accountId);
    // Messages being accepted commit first; later ones are refused.
    await lockWallet(tx, accountId);
    const sessions = await changeAccount(tx, { ...order, at: deps.now() });
    if (!sessions) return [];
    const tokenIds = await suspendTokens(tx, accountId, becomes === 'suspended');
    if (becomes === 'active') {
      for (const tokenId of tokenIds) await wakeLane(tx, { accountId, tokenId });
    }
    return sessions;
  });
  await deps.evictSessions(ended);
  await notifySuspensions(deps).catch(deps.report);
  return customerDetail(deps, accountId);
}

/** Ends one session of a customer, or all. @throws Refusal `not_found`. */
export async function endSessions(
  deps: ConsoleDeps,
  { accountId, sessionId }: { accountId: string; sessionId: string | undefined },
): Promise<OperatorCustomerDetail> {
  const ended = await deps.allAccountsSql.begin(async (tx) => {
    if (!(await customerOf(tx, accountId))) throw new Refusal('not_found', { what: 'Pelanggan' });
    const sessions = await endSessionsOfAccount(tx, accountId, sessionId);
    if (sessionId !== undefined && sessions.length === 0) {
      throw new Refusal('not_found', { what: 'Sesi' });
    }
    return sessions;
  });
  await deps.evictSessions(ended);
  return customerDetail(deps, accountId);
}

/**
 * Ends a customer's plan now, and records operator and reason.
 *
 * @throws Refusal `not_found`, `account_ended`, `operator_limit_reached`, `subscription_not_running` on the free plan.
 */
export async function endPlan(
  deps: Pick<OperatorDeps, 'allAccountsSql' | 'now' | 'config'>,
  { accountId, reason, operatorId, refund }: CustomerAction & { refund: boolean },
): Promise<OperatorCustomerDetail> {
  const at = deps.now();
  const ties = await tiesOf(deps.allAccountsSql, operatorId);
  await deps.allAccountsSql.begin(async (tx) => {
    await lockAlone(tx, ties);
    await refuseEnded(tx, accountId);
    const plan = await subscriptionForOperator(tx, accountId);
    // Of two concurrent calls, the second finds the free plan.
    const credited = await endSubscriptionNow(tx, { accountId, at, refund });
    if (!plan || credited === undefined) throw new Refusal('subscription_not_running', {});
    await refuseAboveLimit(tx, deps, { accountId, amount: credited, ties, at });
    await tx`
      insert into plan_cancellations (account_id, cancellation_id, plan, credited, reason, operator_id, at)
      values (${accountId}, ${newId()}, ${plan.name}, ${credited}, ${reason}, ${operatorId}, ${at})`;
  });
  return customerDetail(deps, accountId);
}

/** @throws Refusal `not_found`. */
export async function customerDetail(
  { allAccountsSql: sql, now }: Pick<OperatorDeps, 'allAccountsSql' | 'now'>,
  accountId: string,
): Promise<OperatorCustomerDetail> {
  const found = await customerOf(sql, accountId);
  if (!found) throw new Refusal('not_found', { what: 'Pelanggan' });
  // In two halves, so that one customer's page does not take all connections.
  const [wallet, entries, topups, subscription] = await Promise.all([
    walletOf(sql, accountId),
    recentEntries(sql, accountId),
    recentTopups(sql, accountId, now()),
    subscriptionForOperator(sql, accountId),
  ]);
  const [messages, failures, tokens, sessions] = await Promise.all([
    messageSums(sql, accountId, now()),
    lastFailures(sql, accountId),
    tokensOfAccount(sql, accountId),
    sessionsOfAccount(sql, accountId),
  ]);
  const [invoices, steps] = await Promise.all([
    recentInvoices(sql, accountId),
    suspensionHistory(sql, accountId),
  ]);
  const plan = subscription && { name: subscription.name, status: subscription.status };
  return {
    ...customerFrom(found, plan),
    phone: found.phone === '' ? '' : formatPhone(found.phone),
    erase_at: found.erase_at,
    messages,
    subscription,
    tokens,
    failures: failures.map(({ messageId, peer, ...failure }) => ({
      ...failure,
      message_id: publicId('message', messageId),
      peer: maskedPeer(peer),
    })),
    sessions,
    invoices,
    bonus_only: wallet.isBonusOnly,
    entries,
    topups: topups.map(({ topup_id, ...topup }) => ({
      ...topup,
      id: publicId('topup', topup_id),
    })),
    ...steps,
  };
}

const FREEZES_MAX = 10;

async function suspensionHistory(
  sql: Sql,
  accountId: string,
): Promise<Pick<OperatorCustomerDetail, 'freezes' | 'suspensions'>> {
  const [freezes, suspensions] = await Promise.all([
    sql<{ frozen: boolean; reason: string; operatorId: string; at: Date }[]>`
      select is_frozen as frozen, reason, operator_id as "operatorId", at from wallet_freezes
      where account_id = ${accountId} order by freeze_id desc limit ${FREEZES_MAX}`,
    suspensionSteps(sql, accountId),
  ]);
  const ids = [...freezes, ...suspensions].map(({ operatorId }) => operatorId);
  const names = await operatorNames(sql, ids);
  const named = <Step extends { operatorId: string }>({ operatorId, ...step }: Step) => ({
    ...step,
    operator: names.get(operatorId) ?? 'Operator',
  });
  return { freezes: freezes.map(named), suspensions: suspensions.map(named) };
}

/** A page of customers, by search text and filters, with masked phone numbers. */
export async function customersPage(
  { allAccountsSql: sql }: { allAccountsSql: Sql },
  { plan, q = '', ...query }: InputOf<typeof contract.findCustomers>,
): Promise<PageOf<contract.FoundCustomer>> {
  const { found, isExact } = await matchSearch(sql, q);
  const { rows, total } = await findCustomers(sql, {
    ...query,
    q,
    accountIds: [...found.keys()],
    isExact,
    ...(plan !== undefined && { where: isOnPlan(sql, plan) }),
  });
  const plans = await plansOfAccounts(
    sql,
    rows.map(({ account_id }) => account_id),
  );
  return {
    rows: rows.map((row) => ({
      ...customerFrom(row, plans.get(row.account_id) ?? null),
      phone: maskedPhone(row.phone),
      found: found.get(row.account_id) ?? null,
    })),
    total,
  };
}

const customerFrom = (
  row: CustomerRow,
  plan: contract.OperatorCustomer['plan'],
): contract.OperatorCustomer => ({
  account_id: publicId('account', row.account_id),
  name: row.name,
  phone: row.phone,
  available: rupiah(row.available),
  held: rupiah(row.held),
  status: row.status,
  state: row.state,
  plan,
  created_at: row.created_at,
});

type SearchMatch = {
  /** By account id, the record found there; null if the text identifies the account itself. */
  found: ReadonlyMap<string, FoundRecord | null>;
  /** True if the text is an id: then only its record matches. */
  isExact: boolean;
};

const NO_MATCH: SearchMatch = { found: new Map(), isExact: false };

async function matchSearch(sql: Sql, q: string): Promise<SearchMatch> {
  if (q === '') return NO_MATCH;
  const byId = await recordOfId(sql, q);
  if (byId) return { found: byId, isExact: true };
  const digits = normalizePhone(q);
  if (/^\d{3,15}$/.test(digits))
    return { ...NO_MATCH, found: tokenMatches(await tokensOfPhones(sql, digits)) };
  // A token hint as displayed: after an ellipsis or dots, or alone.
  const [, hint] = /^(?:…|\.{3}|•+)?([0-9A-Za-z]{4})$/.exec(q) ?? [];
  if (hint !== undefined)
    return { ...NO_MATCH, found: tokenMatches(await tokensOfHint(sql, hint)) };
  if (!looksLikeRef(q)) return NO_MATCH;
  const message = await findMessageByRef(sql, q);
  return message
    ? { ...NO_MATCH, found: matchOf(message.accountId, 'message', message.messageId) }
    : NO_MATCH;
}

const looksLikeRef = (q: string): boolean => /^\S{6,}$/.test(q) && /\d/.test(q);

const matchOf = (accountId: string, kind: FoundRecord['kind'], uuid: string) =>
  new Map([[accountId, { kind, id: publicId(kind, uuid) }]]);

const tokenMatches = (tokens: readonly HeldToken[]) =>
  new Map(
    tokens.map(({ accountId, tokenId }): [string, FoundRecord] => [
      accountId,
      { kind: 'token', id: publicId('token', tokenId) },
    ]),
  );

type Matches = SearchMatch['found'];
const noMatches: Matches = new Map();

/** The account of an id, empty if there is none; undefined if the text is not an id. */
async function recordOfId(sql: Sql, q: string): Promise<Matches | undefined> {
  const idOf = (kind: IdKind) =>
    uuidOf(kind, `${idPrefixes[kind]}${q.slice(idPrefixes[kind].length)}`);
  const isKind = (kind: IdKind) => q.toLowerCase().startsWith(idPrefixes[kind].toLowerCase());
  if (isKind('account')) {
    const id = idOf('account');
    return id === undefined ? undefined : new Map([[id, null]]);
  }
  if (isKind('invoice') || /^(INV|CN)\//i.test(q)) {
    const invoice = await holderOfInvoice(sql, q);
    return invoice ? matchOf(invoice.accountId, 'invoice', invoice.invoiceId) : noMatches;
  }
  for (const kind of ['message', 'token', 'topup'] as const) {
    const id =
      kind === 'message'
        ? (cloudId(q) ?? (isKind(kind) ? idOf(kind) : undefined))
        : isKind(kind)
          ? idOf(kind)
          : undefined;
    if (id === undefined) continue;
    const accountId = await holders[kind](sql, id);
    return accountId === undefined ? noMatches : matchOf(accountId, kind, id);
  }
  return undefined;
}

const holders = { message: accountOfMessage, token: holderOfToken, topup: holderOfTopup };

/** Decodes a message id of the Cloud dialect, `wamid.` and base64url, to its UUID. */
function cloudId(q: string): string | undefined {
  if (!q.startsWith('wamid.')) return undefined;
  const bytes = Buffer.from(q.slice('wamid.'.length), 'base64url');
  if (bytes.length !== 16) return undefined;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

type MessageRef = { accountId: string; messageId: string };

/** Hides the installation's own messages, which contain codes. @throws Refusal `not_found`. */
async function refuseOwnAccount(
  { allAccountsSql }: Pick<OperatorDeps, 'allAccountsSql'>,
  accountId: string,
): Promise<void> {
  if (await customerOf(allAccountsSql, accountId)) return;
  throw new Refusal('not_found', { what: 'Pelanggan' });
}

/** A customer's message without its text, with a masked number. @throws Refusal `not_found`. */
export async function customerMessage(
  deps: Pick<OperatorDeps, 'allAccountsSql' | 'now'>,
  ref: MessageRef,
): Promise<OperatorMessage> {
  await refuseOwnAccount(deps, ref.accountId);
  const message = await messageForAdmin(deps.allAccountsSql, ref);
  return { ...message, peer: maskedPeer(message.peer) };
}

/** Records the disclosure before it answers (docs/threats.md, T48). @throws Refusal `not_found`. */
export async function discloseText(
  deps: Pick<OperatorDeps, 'allAccountsSql' | 'now'>,
  { operatorId, reason, ...ref }: MessageRef & { operatorId: string; reason: string },
): Promise<OutputOf<typeof readCustomerMessage>> {
  await refuseOwnAccount(deps, ref.accountId);
  const disclosed = await messageTextForAdmin(deps.allAccountsSql, ref);
  await deps.allAccountsSql`
    insert into message_disclosures (account_id, disclosure_id, message_id, reason, operator_id, at)
    values (${ref.accountId}, ${newId()}, ${ref.messageId}, ${reason}, ${operatorId}, ${deps.now()})`;
  return disclosed;
}

/** @throws Refusal `not_found`. */
export async function customerToken(
  deps: Pick<OperatorDeps, 'allAccountsSql' | 'now'>,
  { accountId, tokenId }: { accountId: string; tokenId: string },
): Promise<OperatorToken> {
  await refuseOwnAccount(deps, accountId);
  const [token, waiting] = await Promise.all([
    tokenOfAccount(deps.allAccountsSql, accountId, tokenId),
    waitingOf(deps.allAccountsSql, { accountId, tokenId }),
  ]);
  return { ...token, waiting };
}

/** @throws Refusal `not_found`. */
export async function customerTopup(
  deps: Pick<OperatorDeps, 'allAccountsSql' | 'now'>,
  ref: { accountId: string; topupId: string },
): Promise<Topup> {
  await refuseOwnAccount(deps, ref.accountId);
  return topupOfAccount(deps.allAccountsSql, { ...ref, now: deps.now() });
}

/** @throws Refusal `not_found`. */
export async function customerInvoice(
  deps: Pick<OperatorDeps, 'allAccountsSql' | 'now'>,
  ref: { accountId: string; invoiceId: string },
): Promise<Invoice> {
  await refuseOwnAccount(deps, ref.accountId);
  return invoiceOfAccount(deps.allAccountsSql, ref);
}
