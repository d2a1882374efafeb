import {
  checkTopupAtGateway,
  confirmTopup,
  operatorTopups,
  rejectTopup,
  confirmBothEntries,
  dismissBankEntry,
  importStatement,
  listBankEntries,
  previewStatement,
} from '#contract/operator/payments.ts';
import * as payments from '#server/domains/payments/payments.ts';
import {
  type SuspenseRow,
  noteSuspense,
  suspenseOf,
  suspensePage,
} from '#server/domains/payments/payments.ts';
import { type ActHandler, handle, type Call, type Person } from '#server/infra/acts.ts';
import type { OperatorDeps } from './deps.ts';
import * as books from '#contract/operator/books.ts';
import type { PlanDetails, PriceTables } from '#contract/operator/books.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { lastSeal, sealsPage, storeCheck, verifySeals } from '#server/domains/ledger/ledger.ts';
import { overviewOf, reconcile } from './books.ts';
import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import {
  type ConnectedNumber,
  listNumbers,
  listProviderAnswers,
} from '#contract/operator/overview.ts';
import {
  accountNames,
  maskedPhone,
  operatorNames,
  codeCounts,
  phonesOf,
} from '#server/domains/accounts/accounts.ts';
import {
  answersByCode,
  connectedNumbers,
  readConnection,
} from '#server/domains/channels/channels.ts';
import { rupiah } from '#contract/base/money.ts';
import type { PriceCategory, CloudAccess, CloudConnection } from '#contract/channels.ts';
import { GRATIS, plansForOperator, savePlan } from '#server/domains/billing/billing.ts';
import { datedTables, setPpnRate, setPrice } from '#server/domains/pricing/pricing.ts';
import type { Tx, Sql } from '#server/infra/postgres/database.ts';
import * as customers from '#contract/operator/customers.ts';
import * as desk from '#contract/operator/books.ts';
import * as refunds from '#contract/operator/payments.ts';
import * as suspense from '#contract/operator/payments.ts';
import type { SuspenseItem, listSuspense } from '#contract/operator/payments.ts';
import { decideProposal } from './adjustments/decide.ts';
import {
  finishRefund,
  flaggedPayments,
  openRefunds,
  proposePaymentRefund,
  settlePaymentFlag,
} from './adjustments/give-back.ts';
import { adjustmentsPage } from './adjustments/list.ts';
import {
  proposeAdjustment,
  proposePayout,
  proposeRefund,
  proposeResolution,
} from './adjustments/propose.ts';
import { customerDetail, approveBonus, freezeCustomer, customersPage } from './customers.ts';
import { beginIn, inAccount } from '#server/infra/postgres/distribution/scope.ts';
import type { AccountData } from '#server/infra/account-data.ts';
import {
  type SystemToken,
  connectSystemToken,
  getSystemToken,
  linkSystemToken,
  moveSystemToken,
  testSystemToken,
  unlinkSystemToken,
} from '#contract/operator/settings.ts';
import { formatDateTime } from '#contract/base/time.ts';
import { ChannelName } from '#contract/tokens.ts';
import { systemFigures } from '#server/domains/messages/messages.ts';
import {
  type TokenRef,
  type TokensDeps,
  createLink,
  moveToChannel,
  systemTokenState,
  unlinkPhone,
} from '#server/domains/tokens/tokens.ts';
import type { Config } from '#server/infra/config.ts';

type SystemTokenDeps = Pick<TokensDeps, 'sql' | 'secrets' | 'subscribers' | 'isOffered' | 'now'> & {
  allAccountsSql: Sql;
  config: Pick<Config, 'OTP_DAILY_PER_ADDRESS' | 'OTP_DAILY_TOTAL'>;
  /** Sends a text of the installation; with `code`, in the way codes are sent. */
  sendAsSystem: (text: {
    to: string;
    text: string;
    shown: string;
    key: string;
    code?: string | undefined;
  }) => Promise<void>;
  cloud: {
    connect: (token: TokenRef, entered: CloudAccess) => Promise<unknown>;
    read: (token: TokenRef) => Promise<CloudConnection | null>;
  };
  /** The way codes are sent: `text`, `nothing`, or a template. */
  codesBy: () => Promise<string | { template: string; language: string }>;
};

/** The installation's own token belongs to the operators' account. */
const handleOwn: typeof handle = (act, work) =>
  handle(act, (call, input) =>
    call.caller.kind === 'person'
      ? inAccount(call.caller.accountId, () => work(call, input))
      : work(call, input),
  );

export const systemTokenActs = (deps: SystemTokenDeps): readonly ActHandler[] => [
  handleOwn(getSystemToken, ({ caller }) => systemTokenOf(deps, caller)),
  handleOwn(linkSystemToken, async () => {
    const { accountId, tokenId } = await systemTokenState(deps.allAccountsSql);
    return createLink(deps, accountId, tokenId);
  }),
  handleOwn(unlinkSystemToken, async ({ caller }) => {
    const { accountId, tokenId } = await systemTokenState(deps.allAccountsSql);
    await unlinkPhone(deps, accountId, tokenId);
    return systemTokenOf(deps, caller);
  }),
  handleOwn(moveSystemToken, async ({ caller }, { channel }) => {
    const { accountId, tokenId } = await systemTokenState(deps.allAccountsSql);
    await moveToChannel(deps, { accountId, tokenId }, channel);
    return systemTokenOf(deps, caller);
  }),
  handleOwn(connectSystemToken, async ({ caller }, entered) => {
    const { accountId, tokenId } = await systemTokenState(deps.allAccountsSql);
    await deps.cloud.connect({ accountId, tokenId }, entered);
    return systemTokenOf(deps, caller);
  }),
  handleOwn(testSystemToken, ({ caller, key }) => sendTest(deps, caller, key)),
];

async function systemTokenOf(deps: SystemTokenDeps, caller: Person): Promise<SystemToken> {
  const { sql, allAccountsSql, config, now } = deps;
  const { accountId, tokenId, status, channel, phone } = await systemTokenState(allAccountsSql);
  const [figures, codes, own, cloud, by, connection] = await Promise.all([
    systemFigures(sql, { accountId, tokenId }, now()),
    codeCounts(allAccountsSql),
    ownPhone(deps, caller),
    deps.cloud.read({ accountId, tokenId }),
    deps.codesBy(),
    readConnection(allAccountsSql, { accountId, tokenId }, now()),
  ]);
  const isDisconnected = status !== 'linked' && channel !== 'simulator';
  return {
    status,
    channel,
    parted: isDisconnected ? (connection?.parted ?? null) : null,
    others: ChannelName().options.filter((one) => one !== channel && deps.isOffered(one)),
    phone: phone && maskedPhone(phone),
    cloud,
    code_template: typeof by === 'string' ? null : { name: by.template, language: by.language },
    today: figures.today,
    failures: figures.failures,
    codes: {
      asked: codes.asked,
      entered: codes.entered,
      fullest: codes.fullestPot,
      cap: config.OTP_DAILY_TOTAL,
    },
    address: { asked: codes.fullestAddress, cap: config.OTP_DAILY_PER_ADDRESS },
    last: figures.last.map(({ to, ...facts }) => ({ to: maskedPhone(to), ...facts })),
    own_phone: maskedPhone(own),
  };
}

async function ownPhone({ allAccountsSql }: SystemTokenDeps, caller: Person): Promise<string> {
  const people = await phonesOf(allAccountsSql, [caller.accountId]);
  const own = people.find(({ userId }) => userId === caller.userId);
  if (!own) throw new Refusal('not_signed_in', {});
  return own.phone;
}

const TEST_CODE = '000000';

/**
 * Sends a test message to the operator's own number in the way codes are sent: the Cloud API would deliver a text only
 * within 24 hours of the recipient's last message.
 *
 * @throws Refusal `system_token_parted` while nothing can be sent.
 */
async function sendTest(deps: SystemTokenDeps, caller: Person, key: string) {
  const { isConnected } = await systemTokenState(deps.allAccountsSql);
  if (!isConnected) throw new Refusal('system_token_parted', {});
  const phone = await ownPhone(deps, caller);
  const text = `Pesan uji token sistem Kabari, ${formatDateTime(deps.now())} WIB. Bila Anda membacanya, kode verifikasi juga sampai.`;
  const code = (await deps.codesBy()) === 'nothing' ? undefined : TEST_CODE;
  await deps.sendAsSystem({ to: phone, text, shown: text, key: `test:${key}`, code });
  return { to: maskedPhone(phone) };
}

/**
 * The texts of operators about an account are erased with it, while amounts, people and times stay. They are not
 * exported: the ledger exports the entries.
 */
export const operatorAccountData = ({ allAccountsSql }: { allAccountsSql: Sql }): AccountData => ({
  erase: async ({ accountId }) =>
    void (await allAccountsSql`select erase_operator_notes(${accountId})`),
});

export { auditActs, openAuditExport } from './audit.ts';
export { settingsActs } from './settings.ts';
export type { ConsoleDeps } from './deps.ts';
export { consoleActs } from './console-acts.ts';
export { booksRed, checkAndSeal, reconcileNightly } from './books.ts';

/** Acts of operators, across all accounts; the endpoint refuses everybody else. */
export const operatorActs = (deps: OperatorDeps): readonly ActHandler[] => [
  handle(operatorTopups, ({ caller }, input) =>
    payments.topupsForOperator(deps, { ...input, operatorId: caller.userId }),
  ),
  handle(checkTopupAtGateway, ({ caller }, { topup_id }) =>
    payments.checkTopupForOperator(deps, { topupId: topup_id, operatorId: caller.userId }),
  ),
  handle(confirmTopup, ({ caller }, { topup_id, reference, reason }) =>
    payments.confirmTopupByHand(deps, {
      topupId: topup_id,
      operatorId: caller.userId,
      reference,
      reason,
    }),
  ),
  handle(rejectTopup, ({ caller }, { topup_id, reason }) =>
    payments.rejectTopupByHand(deps, { topupId: topup_id, operatorId: caller.userId, reason }),
  ),
  handle(listBankEntries, (_, input) => payments.bankLinesForOperator(deps, input)),
  handle(dismissBankEntry, ({ caller }, { line, reason }) =>
    payments.dismissLine(deps, { line, operatorId: caller.userId, reason }),
  ),
  handle(confirmBothEntries, ({ caller }, { line, reason }) =>
    payments.confirmTwins(deps, { line, operatorId: caller.userId, reason }),
  ),
  handle(previewStatement, ({ caller: { accountId, userId } }, { upload }) =>
    payments.previewStatement(deps, { accountId, userId, uploadId: upload }),
  ),
  handle(importStatement, ({ caller: { accountId, userId } }, { upload, sha256 }) =>
    payments.importStatement(deps, { accountId, userId, uploadId: upload, sha256 }),
  ),
  ...moneyActs(deps),
  ...booksActs(deps),
  ...operatorChannelActs(deps),
];

const booksActs = (deps: OperatorDeps): readonly ActHandler[] => [
  handle(books.moneyOverview, ({ caller }) => overviewOf(deps, caller.userId)),
  handle(books.listSeals, (_, input) => sealsPage(deps.allAccountsSql, input)),
  handle(books.verifySeal, () => newestSeal(deps)),
  handle(books.runCheck, () => storeCheck(deps)),
  handle(books.runReconciliation, () => reconcile(deps)),
  handle(books.getPrices, () => priceTables(deps)),
  handle(books.setPrice, ({ caller }, input) => changePrice(deps, caller.userId, input)),
  handle(books.setPpn, ({ caller }, input) => changePpn(deps, caller.userId, input)),
  handle(books.listPlanDetails, async () => ({ plans: await readPlans(deps) })),
  handle(books.savePlan, ({ caller }, input) => changePlan(deps, caller.userId, input)),
];

/** Hashes the rows of the newest seal again. @throws Refusal `nothing_sealed`. */
async function newestSeal({ allAccountsSql }: OperatorDeps) {
  const seal = await lastSeal(allAccountsSql);
  if (!seal) throw new Refusal('nothing_sealed', {});
  const { difference } = await verifySeals(allAccountsSql, { newestOnly: true });
  return { ok: difference === undefined, day: seal.day, why: difference?.why ?? null };
}

const DAY_MS = 24 * 3_600_000;

const operatorChannelActs = (deps: OperatorDeps): readonly ActHandler[] => [
  handle(listNumbers, (_, input) => numbersPage(deps, input)),
  handle(listProviderAnswers, async (_, { days }) => {
    const since = new Date(deps.now().getTime() - Number(days) * DAY_MS);
    return { answers: await answersByCode(deps.allAccountsSql, since) };
  }),
];

async function numbersPage(
  { allAccountsSql: sql, now }: OperatorDeps,
  { page = 0, channel, state, sort_by, sort_type }: InputOf<typeof listNumbers>,
): Promise<PageOf<ConnectedNumber>> {
  const { numbers, total } = await connectedNumbers(sql, {
    channel,
    state,
    sort: sort_by && (sort_type ?? 'desc'),
    offset: page * PAGE_SIZE,
    limit: PAGE_SIZE,
    now: now(),
  });
  const names = await accountNames(
    sql,
    numbers.map(({ accountId }) => accountId),
  );
  const rows = numbers.map(({ accountId, tokenId, tokenName, isSystem, phone, ...connection }) => ({
    ...connection,
    account_id: publicId('account', accountId),
    account_name: names.get(accountId) ?? '',
    is_system: isSystem,
    token_id: publicId('token', tokenId),
    token_name: tokenName,
    phone: phone && maskedPhone(phone),
  }));
  return { rows, total };
}

type Dated = {
  /** Set for prices: each category has one price in force. */
  category?: PriceCategory;
  valid_from: Date;
  set_by: string | null;
  set_at: Date | null;
  reason: string | null;
};

async function priceTables(deps: OperatorDeps): Promise<PriceTables> {
  const { allAccountsSql: sql, config, now } = deps;
  const { prices, rates } = await datedTables(sql);
  const people = [...prices, ...rates].flatMap(({ set_by }) => set_by ?? []);
  const names = await operatorNames(sql, people);
  const at = now();
  const dated = <Row extends Dated>(rows: readonly Row[]) => {
    const inForce = (row: Row) =>
      rows.find((one) => one.category === row.category && one.valid_from <= at);
    return rows.map((row) => ({
      ...row,
      state: stateOf(row, inForce(row), at),
      set_by: row.set_by && (names.get(row.set_by) ?? 'Operator'),
    }));
  };
  return { prices: dated(prices), rates: dated(rates), ppn: config.PPN };
}

function stateOf(row: Dated, inForce: Dated | undefined, at: Date): 'past' | 'now' | 'future' {
  if (row === inForce) return 'now';
  return row.valid_from > at ? 'future' : 'past';
}

const settingOf = (
  deps: OperatorDeps,
  operatorId: string,
  { reason, valid_from }: { reason: string; valid_from?: string | undefined },
) => ({
  operatorId,
  reason,
  at: deps.now(),
  validFrom: valid_from === undefined ? undefined : new Date(valid_from),
});

/** @throws Refusal `valid_from_past`, `valid_from_taken`. */
async function changePrice(
  deps: OperatorDeps,
  operatorId: string,
  input: InputOf<typeof books.setPrice>,
): Promise<PriceTables> {
  const { category, price } = input;
  await writePrices(deps, (tx) =>
    setPrice(tx, { category, price: rupiah(price) }, settingOf(deps, operatorId, input)),
  );
  return priceTables(deps);
}

/** @throws Refusal `valid_from_past`, `valid_from_taken`. */
async function changePpn(
  deps: OperatorDeps,
  operatorId: string,
  input: InputOf<typeof books.setPpn>,
): Promise<PriceTables> {
  const { num, den, dpp_num, dpp_den } = input;
  const rate = { num, den, dppNum: dpp_num, dppDen: dpp_den };
  await writePrices(deps, (tx) => setPpnRate(tx, rate, settingOf(deps, operatorId, input)));
  return priceTables(deps);
}

async function writePrices(deps: OperatorDeps, work: (tx: Tx) => Promise<void>): Promise<void> {
  await deps.allAccountsSql.begin(work);
  await deps.prices.refresh();
}

const readPlans = (deps: OperatorDeps): Promise<PlanDetails[]> =>
  plansForOperator(deps.allAccountsSql);

/** Gratis, the default plan, is free and always on offer; no other plan is free. */
function refuseUnfit({ code, price }: { code: string; price: number }, isOffered: boolean): void {
  const isFree = code === GRATIS;
  const fields = {
    ...(isFree !== (price === 0) && {
      price: isFree ? 'Paket Gratis tidak berbiaya.' : 'Hanya paket Gratis yang tidak berbiaya.',
    }),
    ...(isFree && !isOffered && { offered: 'Paket Gratis selalu ditawarkan.' }),
  };
  if (Object.keys(fields).length > 0) throw new Refusal('input_invalid', { fields });
}

/**
 * Writes a new revision of a plan; customers keep theirs until they renew.
 *
 * @throws Refusal `input_invalid` for a free plan other than Gratis, and for a Gratis that is not free or not on offer.
 */
async function changePlan(
  deps: OperatorDeps,
  operatorId: string,
  { reason: _, offered, ...plan }: InputOf<typeof books.savePlan>,
): Promise<PlanDetails> {
  refuseUnfit(plan, offered === 'yes');
  await deps.allAccountsSql.begin((tx) =>
    savePlan(tx, {
      ...plan,
      price: rupiah(plan.price),
      overage: rupiah(plan.overage),
      isOffered: offered === 'yes',
      operatorId,
      at: deps.now(),
    }),
  );
  const plans = await readPlans(deps);
  const saved = plans.find(({ code }) => code === plan.code);
  if (!saved) throw new Error('the saved plan was not found');
  return saved;
}

const proposalRequestOf = ({ caller, key }: Call<'operator'>, reason: string) => ({
  operatorId: caller.userId,
  key,
  reason,
});

const refundActs = (deps: OperatorDeps): readonly ActHandler[] => [
  handle(refunds.refundPayment, (call, { topup_id, reason }) =>
    proposePaymentRefund(deps, { topupId: topup_id }, proposalRequestOf(call, reason)),
  ),
  handle(refunds.listRefunds, (_, input) => openRefunds(deps, input)),
  handle(refunds.finishRefund, (_, { refund_id, reference }) =>
    finishRefund(deps, { refundId: refund_id, reference }),
  ),
  handle(refunds.listFlagged, (_, input) => flaggedPayments(deps, input)),
  handle(refunds.settleFlag, ({ caller }, { topup_id, flagged_at, reason }) =>
    settlePaymentFlag(deps, {
      topupId: topup_id,
      flaggedAt: new Date(flagged_at),
      operatorId: caller.userId,
      reason,
    }),
  ),
  handle(refunds.approveBonus, ({ caller }, { account_id, reason }) =>
    approveBonus(deps, { accountId: account_id, reason, operatorId: caller.userId }),
  ),
];

const moneyActs = (deps: OperatorDeps): readonly ActHandler[] => [
  ...refundActs(deps),
  handle(customers.findCustomers, (_, input) => customersPage(deps, input)),
  handle(customers.getCustomer, (_, { account_id }) => customerDetail(deps, account_id)),
  handle(desk.adjustSaldo, (call, { account_id, direction, amount, cause, reason }) =>
    proposeAdjustment(
      deps,
      {
        accountId: account_id,
        amount: rupiah(direction === 'add' ? amount : -amount),
        cause,
      },
      proposalRequestOf(call, reason),
    ),
  ),
  handle(desk.refundMessage, (call, { account_id, message_id, amount, reason }) =>
    proposeRefund(
      deps,
      {
        accountId: account_id,
        messageId: message_id,
        amount: amount === undefined ? undefined : rupiah(amount),
      },
      proposalRequestOf(call, reason),
    ),
  ),
  handle(desk.payOut, (call, { account_id, amount, reference, payee, reason }) =>
    proposePayout(
      deps,
      { accountId: account_id, amount: rupiah(amount), reference, payee },
      proposalRequestOf(call, reason),
    ),
  ),
  handle(desk.listAdjustments, ({ caller }, input) =>
    adjustmentsPage(deps.allAccountsSql, input, { at: deps.now(), operatorId: caller.userId }),
  ),
  handle(desk.decideAdjustment, ({ caller }, { adjustment_id, decision, reason }) =>
    decideProposal(deps, {
      id: adjustment_id,
      operatorId: caller.userId,
      decision,
      note: reason,
    }),
  ),
  handle(customers.freezeWallet, ({ caller }, { account_id, becomes, reason }) =>
    freezeCustomer(deps, {
      accountId: account_id,
      isFrozen: becomes === 'frozen',
      reason,
      operatorId: caller.userId,
    }),
  ),
  handle(suspense.listSuspense, (_, input) => suspenseItems(deps, input)),
  handle(suspense.creditSuspense, (call, { provider, txn, reason }) =>
    proposeResolution(deps, { provider, txn }, proposalRequestOf(call, reason)),
  ),
  handle(suspense.returnSuspense, (call, { provider, txn, reference, payee, reason }) =>
    proposeResolution(
      deps,
      { provider, txn, returned: { reference, payee } },
      proposalRequestOf(call, reason),
    ),
  ),
  handle(suspense.annotateSuspense, ({ caller }, { provider, txn, reason }) =>
    annotateItem(deps, { provider, txn, note: reason, operatorId: caller.userId }),
  ),
];

async function suspenseItems(
  { allAccountsSql, now }: OperatorDeps,
  input: InputOf<typeof listSuspense>,
): Promise<PageOf<SuspenseItem>> {
  const { rows, total } = await suspensePage(allAccountsSql, input);
  return { rows: await itemsOf(allAccountsSql, rows, now()), total };
}

type SuspenseNote = { provider: string; txn: string; note: string; operatorId: string };

/** Annotates a payment that stays in suspense. @throws Refusal `not_found`, `suspense_resolved`. */
async function annotateItem(
  { allAccountsSql, now }: OperatorDeps,
  kept: SuspenseNote,
): Promise<SuspenseItem> {
  const { account_id: accountId } = await suspenseOf(allAccountsSql, kept);
  return beginIn(allAccountsSql, accountId, async (tx) => {
    const at = now();
    const [item] = await itemsOf(tx, [await noteSuspense(tx, { ...kept, at })], at);
    if (!item) throw new Error('the payment was not found');
    return item;
  });
}

async function itemsOf(
  sql: Sql | Tx,
  rows: readonly SuspenseRow[],
  at: Date,
): Promise<SuspenseItem[]> {
  const accounts = await accountNames(
    sql,
    rows.map(({ account_id }) => account_id),
  );
  const operators = await operatorNames(
    sql,
    rows.flatMap(({ notes }) => notes.map(({ operator_id }) => operator_id)),
  );
  const waiting = await proposalsAbout(sql, rows, at);
  return rows.map(({ account_id, topup_id, notes, provider, txn, amount, at: came }) => {
    const proposal = waiting.get(`${provider} ${txn}`);
    return {
      provider,
      txn,
      amount,
      at: came,
      account_id: publicId('account', account_id),
      account_name: accounts.get(account_id) ?? '',
      topup_id: publicId('topup', topup_id),
      notes: notes.map(({ note, operator_id, at: noted }) => ({
        note,
        operator: operators.get(operator_id) ?? 'Operator',
        at: new Date(noted),
      })),
      waiting: proposal === undefined ? null : publicId('adjustment', proposal),
    };
  });
}

async function proposalsAbout(
  sql: Sql | Tx,
  rows: readonly SuspenseRow[],
  at: Date,
): Promise<ReadonlyMap<string, string>> {
  const found = await sql<{ provider: string; txn_id: string; adjustment_id: string }[]>`
    select provider, txn_id, adjustment_id from adjustments
    where status = 'pending' and expires_at > ${at}
      and txn_id = any(${rows.map(({ txn }) => txn)}::text[])`;
  return new Map(
    found.map(({ provider, txn_id, adjustment_id }) => [`${provider} ${txn_id}`, adjustment_id]),
  );
}
