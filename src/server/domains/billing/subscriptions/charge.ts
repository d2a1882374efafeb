import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { formatDate } from '#contract/base/time.ts';
import type { InvoiceLine } from '#server/domains/billing/invoices/issue.ts';
import {
  issueCreditNote,
  issueInvoice,
  settleInvoice,
  voidInvoice,
} from '#server/domains/billing/invoices/issue.ts';
import type { PlanRevision } from '#server/domains/billing/plans.ts';
import { lockWallet, postEntry } from '#server/domains/ledger/ledger.ts';
import { newId } from '#server/infra/ids.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import type { Change } from './change.ts';
import { type Period, addDays } from './periods.ts';
import { type SubscriptionRow, setAllowance, runningFields, writeSubscription } from './row.ts';

export type Funds = {
  available: Rupiah;
  isFrozen: boolean;
  isActive: boolean;
};

/** Locks the wallet, so that its saldo cannot change before the charge. */
export async function lockFunds(tx: Tx, accountId: string): Promise<Funds> {
  const { available: saldo, status, isBonusOnly } = await lockWallet(tx, accountId);
  // Read after the wallet lock, which suspending also takes: a suspended account is not charged.
  const [account] = await tx<{ status: string }[]>`
    select status from accounts where account_id = ${accountId}`;
  // The welcome bonus alone does not pay for plans; it is for trial messages.
  const available = isBonusOnly ? rupiah(0) : saldo;
  return { available, isFrozen: status !== 'active', isActive: account?.status === 'active' };
}

export const covers = ({ available, isFrozen, isActive }: Funds, amount: Rupiah): boolean =>
  isActive && !isFrozen && available >= amount;

/** @throws Refusal `account_suspended`, `wallet_frozen`, `saldo_short`. */
export function refuseUnpayable({ available, isActive, isFrozen }: Funds, amount: Rupiah): void {
  if (!isActive) throw new Refusal('account_suspended', {});
  if (isFrozen) throw new Refusal('wallet_frozen', {});
  if (available < amount) throw new Refusal('saldo_short', { required: amount, available });
}

export type DueCharge = { chargeId: string; invoiceId: string };

type Beginning = {
  plan: PlanRevision;
  period: Period & { anchor: string };
  revision: number;
  at: Date;
};

/** Formats a period as `21 Nov 2026 – 20 Des 2026`, its last day included. */
export const periodInWords = ({ start, end }: Pick<Period, 'start' | 'end'>): string =>
  `${formatDate(start)} – ${formatDate(addDays(end, -1))}`;

export async function issuePeriodInvoice(
  tx: Tx,
  accountId: string,
  { plan, period, at, dueAt }: Pick<Beginning, 'plan' | 'period' | 'at'> & { dueAt?: Date },
): Promise<DueCharge> {
  const due = { chargeId: newId(), invoiceId: newId() };
  await issueInvoice(tx, {
    accountId,
    invoiceId: due.invoiceId,
    kind: 'plan',
    title: `Paket ${plan.name}`,
    lines: [line(`Paket ${plan.name}, ${periodInWords(period)}`, plan.price)],
    periodStart: period.start,
    periodEnd: period.end,
    subject: { type: 'charge', id: due.chargeId },
    ...(dueAt && { dueAt }),
    at,
  });
  return due;
}

const line = (text: string, amount: Rupiah): InvoiceLine => ({
  text,
  quantity: 1,
  price: amount,
  amount,
});

/**
 * Charges a whole period and begins it: entry, charge, period, allowance, invoice. Check `covers` first. Call it last
 * in the transaction, because it takes an invoice number.
 *
 * @param due the unpaid charge of the period, if its invoice is already open.
 */
export async function beginPaidPeriod(
  tx: Tx,
  row: SubscriptionRow,
  beginning: Beginning & { due?: DueCharge | undefined },
): Promise<void> {
  const { plan, period, revision, at } = beginning;
  const accountId = row.account_id;
  const { chargeId, invoiceId } =
    beginning.due ?? (await issuePeriodInvoice(tx, accountId, beginning));
  await writeCharge(tx, {
    ...beginning,
    accountId,
    chargeId,
    invoiceId,
    kind: 'period',
    credit: rupiah(0),
    charge: plan.price,
    memo: `Paket ${plan.name}, ${periodInWords(period)}`,
  });
  await writeSubscription(tx, row, {
    ...row,
    ...runningFields(plan, period),
    status: 'active',
    revision,
  });
  await setAllowance(tx, accountId, { plan });
  await settleInvoice(tx, { accountId, invoiceId, at });
}

/** Changes the plan at once for the remaining days. Check `covers` first, and call it last in the transaction. */
export async function changeWithinPeriod(
  tx: Tx,
  row: SubscriptionRow,
  { from, plan, change, at }: { from: PlanRevision; plan: PlanRevision; change: Change; at: Date },
): Promise<void> {
  const accountId = row.account_id;
  const [chargeId, invoiceId] = [newId(), newId()];
  const { period, anchor, credit, charge, total } = change;
  const days = `${change.daysLeft} dari ${change.daysInPeriod} hari`;
  const title = `Ganti paket ${from.name} ke ${plan.name}`;
  const lines = [
    line(`Paket ${plan.name}, ${days}`, charge),
    line(`Sisa paket ${from.name}, ${days}`, rupiah(-credit)),
  ];
  const paid = { accountId, invoiceId, at };
  if (total > 0) {
    await issueInvoice(tx, {
      ...paid,
      kind: 'plan',
      title,
      lines,
      periodStart: period.start,
      periodEnd: period.end,
      subject: { type: 'charge', id: chargeId },
    });
  }
  const revision = row.revision + 1;
  await writeCharge(tx, {
    accountId,
    chargeId,
    invoiceId: total > 0 ? invoiceId : null,
    kind: 'change',
    plan,
    period,
    revision,
    credit,
    charge,
    at,
    memo: title,
  });
  await writeSubscription(tx, row, {
    ...row,
    ...runningFields(plan, { ...period, anchor }),
    revision,
  });
  await setAllowance(tx, accountId, { plan, within: change.quota });
  if (total < 0) await creditPeriod(tx, row, { amount: rupiah(-total), reason: title, at });
  if (total > 0) await settleInvoice(tx, { ...paid });
}

/** Credits the newest invoice first, then earlier ones: the newest may be smaller than the amount. */
export async function creditPeriod(
  tx: Tx,
  { account_id: accountId, period_start: start }: SubscriptionRow,
  { amount, reason, at }: { amount: Rupiah; reason: string; at: Date },
): Promise<void> {
  const invoices = await tx<{ invoice_id: string; uncredited: number }[]>`
    select i.invoice_id, (least(i.base, i.total - i.ppn) - (
        select coalesce(sum(n.base), 0) from invoices n
        where n.account_id = i.account_id and n.credits = i.invoice_id
      ))::bigint as uncredited
    from subscription_charges c join invoices i using (account_id, invoice_id)
    where c.account_id = ${accountId} and c.period_start = ${start} and i.status = 'paid'
    order by c.revision desc`;
  let rest: number = amount;
  for (const { invoice_id: invoiceId, uncredited } of invoices) {
    const part = Math.min(rest, uncredited);
    if (part <= 0) continue;
    await issueCreditNote(tx, { accountId, invoiceId, amount: rupiah(part), reason, at });
    rest -= part;
  }
}

type Charge = Omit<Beginning, 'period'> & {
  period: Period;
  accountId: string;
  chargeId: string;
  invoiceId: string | null;
  kind: 'period' | 'change' | 'end';
  credit: Rupiah;
  charge: Rupiah;
  memo: string;
};

/** Writes a charge and its ledger entry. The charge's unique key prevents charging a period twice. */
export async function writeCharge(tx: Tx, made: Charge): Promise<void> {
  const { accountId, chargeId, kind, plan, period, revision, credit, charge, at, memo } = made;
  await tx`
    insert into subscription_charges (
      account_id, charge_id, kind, period_start, period_end, revision, plan_code, plan_revision,
      credit, charge, invoice_id, at
    ) values (
      ${accountId}, ${chargeId}, ${kind}, ${period.start}, ${period.end}, ${revision},
      ${plan.code}, ${plan.revision}, ${credit}, ${charge}, ${made.invoiceId}, ${at}
    )`;
  const total = charge - credit;
  if (total === 0) return;
  await postEntry(tx, {
    accountId,
    kind: total > 0 ? 'plan' : 'refund',
    delta: rupiah(-total),
    contra: 'rev:plan',
    refType: 'charge',
    refId: chargeId,
    idemKey: `plan:${period.firstDay}:${revision}`,
    actor: 'billing',
    memo,
  });
}

export async function voidDue(
  tx: Tx,
  { account_id: accountId, due_invoice: invoiceId }: SubscriptionRow,
  { at, note }: { at: Date; note: string },
): Promise<void> {
  if (invoiceId === null) return;
  await voidInvoice(tx, { accountId, invoiceId, at, note });
}
