import { Refusal } from '#contract/base/refusals.ts';
import type * as contract from '#contract/operator/customers.ts';
import type { DeskCustomerDetail, FoundThing } from '#contract/operator/customers.ts';
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
  subscriptionForDesk,
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
import type { DeskDeps } from '#server/domains/operator/deps.ts';
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
import type { DeskMessage, DeskToken, readCustomerMessage } from '#contract/operator/things.ts';
import type { Topup } from '#contract/saldo.ts';

/** What an operator does to a customer, and why. */
type Order = { accountId: string; reason: string; operatorId: string };

/** @throws Refusal `not_found`, `account_ended`. */
async function refuseEnded(tx: Tx, accountId: string): Promise<void> {
  const found = await customerOf(tx, accountId);
  if (!found) throw new Refusal('not_found', { what: 'Pelanggan' });
  if (found.state === 'closed') throw new Refusal('account_ended', {});
}

/**
 * Freezes a wallet or lets it go on, and records who and why. What is so already stays as it was.
 *
 * @throws Refusal `not_found`, `account_ended`.
 */
export async function freezeCustomer(
  deps: CustomerDeps,
  { accountId, isFrozen, reason, operatorId }: Order & { isFrozen: boolean },
): Promise<DeskCustomerDetail> {
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

type LimitedDeps = CustomerDeps & Pick<DeskDeps, 'config'>;

/**
 * Without a proposal, another operator must act above the limit of one operator. Under `lockAlone`.
 *
 * @throws Refusal `operator_limit_reached`.
 */
async function refuseAboveLimit(
  tx: Tx,
  { config }: LimitedDeps,
  { ties, at, ...asked }: { accountId: string; amount: number; ties: OperatorTies; at: Date },
): Promise<void> {
  if (asked.amount === 0) return;
  if (needsTwo(config, asked, await givenAlone(tx, { ties, at }))) {
    throw new Refusal('operator_limit_reached', {});
  }
}

/**
 * Lets a customer spend the welcome bonus on any number, and records who and why. What is so already stays
 * as it was.
 *
 * @throws Refusal `not_found`, `account_ended`, `operator_limit_reached`.
 */
export async function approveBonus(
  deps: LimitedDeps,
  { accountId, reason, operatorId }: Order,
): Promise<DeskCustomerDetail> {
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

export type StandingDeps = CustomerDeps & {
  /** Sends a text through the installation's own token; the same `key` sends it once. */
  sendSystemText: (phone: string, text: string, shownText: string, key: string) => Promise<void>;
  /** Removes ended sessions from this process's cache. */
  evictSessions: (sessionIds: readonly string[]) => Promise<void>;
  report: (trouble: unknown) => void;
};

/**
 * Suspends a customer or lets them go on, and writes the reason to them. Suspended: sessions and open links
 * end, nothing is accepted, nothing leaves; what waits stays, and goes on afterwards or expires by its own
 * time. What is so already stays as it was.
 *
 * @throws Refusal `not_found`, `account_ended`.
 */
export async function suspendCustomer(
  deps: StandingDeps,
  order: Order & { becomes: 'suspended' | 'active' },
): Promise<DeskCustomerDetail> {
  const { accountId, becomes } = order;
  const ended = await deps.allAccountsSql.begin(async (tx) => {
    await refuseEnded(tx, accountId);
    // What was being accepted stands before; everything later is refused.
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

/** Ends a session of a customer's, or all. @throws Refusal `not_found`. */
export async function endSessions(
  deps: StandingDeps,
  { accountId, sessionId }: { accountId: string; sessionId: string | undefined },
): Promise<DeskCustomerDetail> {
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
 * Ends a customer's plan now, and records who and why.
 *
 * @throws Refusal `not_found`, `account_ended`, `operator_limit_reached`, `subscription_not_running` where there is
 *   only the free plan.
 */
export async function endPlan(
  deps: LimitedDeps,
  { accountId, reason, operatorId, refund }: Order & { refund: boolean },
): Promise<DeskCustomerDetail> {
  const at = deps.now();
  const ties = await tiesOf(deps.allAccountsSql, operatorId);
  await deps.allAccountsSql.begin(async (tx) => {
    await lockAlone(tx, ties);
    await refuseEnded(tx, accountId);
    const plan = await subscriptionForDesk(tx, accountId);
    // Of two that end it at once, the second finds the free plan.
    const credited = await endSubscriptionNow(tx, { accountId, at, refund });
    if (!plan || credited === undefined) throw new Refusal('subscription_not_running', {});
    await refuseAboveLimit(tx, deps, { accountId, amount: credited, ties, at });
    await tx`
      insert into plan_endings (account_id, ending_id, plan, credited, reason, operator_id, at)
      values (${accountId}, ${newId()}, ${plan.name}, ${credited}, ${reason}, ${operatorId}, ${at})`;
  });
  return customerDetail(deps, accountId);
}

/** What a customer's page reads with. */
export type CustomerDeps = {
  /** Sees every account. */
  allAccountsSql: Sql;
  now: () => Date;
};

/**
 * A customer with what moved last.
 *
 * @throws Refusal `not_found`.
 */
export async function customerDetail(
  { allAccountsSql: sql, now }: CustomerDeps,
  accountId: string,
): Promise<DeskCustomerDetail> {
  const found = await customerOf(sql, accountId);
  if (!found) throw new Refusal('not_found', { what: 'Pelanggan' });
  // Half at a time: one customer's page does not take all connections.
  const [wallet, entries, topups, subscription] = await Promise.all([
    walletOf(sql, accountId),
    recentEntries(sql, accountId),
    recentTopups(sql, accountId, now()),
    subscriptionForDesk(sql, accountId),
  ]);
  const [messages, failures, tokens, sessions] = await Promise.all([
    messageSums(sql, accountId, now()),
    lastFailures(sql, accountId),
    tokensOfAccount(sql, accountId),
    sessionsOfAccount(sql, accountId),
  ]);
  const [invoices, steps] = await Promise.all([
    recentInvoices(sql, accountId),
    stepsOf(sql, accountId),
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

/** When the account was suspended and its wallet frozen, and by whom. */
async function stepsOf(
  sql: Sql,
  accountId: string,
): Promise<Pick<DeskCustomerDetail, 'freezes' | 'suspensions'>> {
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

/** A page of customers, by one box and filters; numbers without their middle. */
export async function customersPage(
  { allAccountsSql: sql }: { allAccountsSql: Sql },
  { plan, q = '', ...query }: InputOf<typeof contract.findCustomers>,
): Promise<PageOf<contract.CustomerFound>> {
  const { found, isExact } = await meantBy(sql, q);
  const { rows, total } = await findCustomers(sql, {
    ...query,
    q,
    meant: [...found.keys()],
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

/** A customer as it is answered, with the owner's whole number. */
const customerFrom = (
  row: CustomerRow,
  plan: contract.DeskCustomer['plan'],
): contract.DeskCustomer => ({
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

/** Whose a thing is that the words name, and what it is there. */
type Meant = {
  /** The customers, with what was found at each; null: the customer is what was meant. */
  found: ReadonlyMap<string, FoundThing | null>;
  /** True: the words are an id, which means that and nothing else. */
  isExact: boolean;
};

const NOBODY: Meant = { found: new Map(), isExact: false };

/** What the words of a search mean beside names and owners' numbers. */
async function meantBy(sql: Sql, q: string): Promise<Meant> {
  if (q === '') return NOBODY;
  const byId = await thingOfId(sql, q);
  if (byId) return { found: byId, isExact: true };
  const digits = normalizePhone(q);
  if (/^\d{3,15}$/.test(digits))
    return { ...NOBODY, found: ofTokens(await tokensOfPhones(sql, digits)) };
  // As it is shown: behind an ellipsis or dots, or by itself.
  const [, hint] = /^(?:…|\.{3}|•+)?([0-9A-Za-z]{4})$/.exec(q) ?? [];
  if (hint !== undefined) return { ...NOBODY, found: ofTokens(await tokensOfHint(sql, hint)) };
  if (!looksLikeRef(q)) return NOBODY;
  const message = await findMessageByRef(sql, q);
  return message
    ? { ...NOBODY, found: one(message.accountId, 'message', message.messageId) }
    : NOBODY;
}

/** A customer's own reference, or a channel's id: one word with a digit in it. */
const looksLikeRef = (q: string): boolean => /^\S{6,}$/.test(q) && /\d/.test(q);

const one = (accountId: string, kind: FoundThing['kind'], uuid: string) =>
  new Map([[accountId, { kind, id: publicId(kind, uuid) }]]);

const ofTokens = (tokens: readonly HeldToken[]) =>
  new Map(
    tokens.map(({ accountId, tokenId }): [string, FoundThing] => [
      accountId,
      { kind: 'token', id: publicId('token', tokenId) },
    ]),
  );

type Found = Meant['found'];
const nothing: Found = new Map();

/** Whose id it is; `undefined` when the words are no id at all. */
async function thingOfId(sql: Sql, q: string): Promise<Found | undefined> {
  const idOf = (kind: IdKind) =>
    uuidOf(kind, `${idPrefixes[kind]}${q.slice(idPrefixes[kind].length)}`);
  const isKind = (kind: IdKind) => q.toLowerCase().startsWith(idPrefixes[kind].toLowerCase());
  if (isKind('account')) {
    const id = idOf('account');
    return id === undefined ? undefined : new Map([[id, null]]);
  }
  if (isKind('invoice') || /^(INV|CN)\//i.test(q)) {
    const invoice = await holderOfInvoice(sql, q);
    return invoice ? one(invoice.accountId, 'invoice', invoice.invoiceId) : nothing;
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
    return accountId === undefined ? nothing : one(accountId, kind, id);
  }
  return undefined;
}

const holders = { message: accountOfMessage, token: holderOfToken, topup: holderOfTopup };

/** The UUID behind a message's id in the Cloud dialect, `wamid.` and base64url. */
function cloudId(q: string): string | undefined {
  if (!q.startsWith('wamid.')) return undefined;
  const bytes = Buffer.from(q.slice('wamid.'.length), 'base64url');
  if (bytes.length !== 16) return undefined;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

type MessageRef = { accountId: string; messageId: string };

/** The installation's own messages hold codes, and are nobody's to read. @throws Refusal `not_found`. */
async function refuseOwn({ allAccountsSql }: CustomerDeps, accountId: string): Promise<void> {
  if (await customerOf(allAccountsSql, accountId)) return;
  throw new Refusal('not_found', { what: 'Pelanggan' });
}

/** A customer's message without what it says, its number without the middle. @throws Refusal `not_found`. */
export async function customerMessage(deps: CustomerDeps, ref: MessageRef): Promise<DeskMessage> {
  await refuseOwn(deps, ref.accountId);
  const message = await messageForAdmin(deps.allAccountsSql, ref);
  return { ...message, peer: maskedPeer(message.peer) };
}

/**
 * What a customer's message says. Who asked, and why, is stored before it is answered (docs/threats.md, T48).
 *
 * @throws Refusal `not_found`.
 */
export async function disclosedText(
  deps: CustomerDeps,
  { operatorId, reason, ...ref }: MessageRef & { operatorId: string; reason: string },
): Promise<OutputOf<typeof readCustomerMessage>> {
  await refuseOwn(deps, ref.accountId);
  const said = await messageTextForAdmin(deps.allAccountsSql, ref);
  await deps.allAccountsSql`
    insert into message_disclosures (account_id, disclosure_id, message_id, reason, operator_id, at)
    values (${ref.accountId}, ${newId()}, ${ref.messageId}, ${reason}, ${operatorId}, ${deps.now()})`;
  return said;
}

/** A customer's token. @throws Refusal `not_found`. */
export async function customerToken(
  deps: CustomerDeps,
  { accountId, tokenId }: { accountId: string; tokenId: string },
): Promise<DeskToken> {
  await refuseOwn(deps, accountId);
  const [token, waiting] = await Promise.all([
    tokenOfAccount(deps.allAccountsSql, accountId, tokenId),
    waitingOf(deps.allAccountsSql, { accountId, tokenId }),
  ]);
  return { ...token, waiting };
}

/** A customer's top-up. @throws Refusal `not_found`. */
export async function customerTopup(
  deps: CustomerDeps,
  ref: { accountId: string; topupId: string },
): Promise<Topup> {
  await refuseOwn(deps, ref.accountId);
  return topupOfAccount(deps.allAccountsSql, { ...ref, now: deps.now() });
}

/** A customer's invoice. @throws Refusal `not_found`. */
export async function customerInvoice(
  deps: CustomerDeps,
  ref: { accountId: string; invoiceId: string },
): Promise<Invoice> {
  await refuseOwn(deps, ref.accountId);
  return invoiceOfAccount(deps.allAccountsSql, ref);
}
