import { createHash } from 'node:crypto';
import type { Rupiah } from '#contract/base/money.ts';
import { civilDate } from '#contract/base/time.ts';
import type { TopupStatus } from '#contract/saldo.ts';
import { storable } from '#contract/base/text.ts';
import type { Config } from '#server/infra/config.ts';
import { type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';
import { applyPaid, lateNote } from './topups/pay.ts';
import { statusAt } from './topups/topup.ts';

/** A credit on our bank account, from a statement or the simulated bank. */
export type BankLine = {
  amount: Rupiah;
  sender: string;
  /**
   * The bank's own reference. Where a statement has none, its reader makes one of what distinguishes equal
   * lines of a day (the balance after the line, its place among its equals).
   */
  reference: string;
  /** When the bank says it came; a statement may know the day only. */
  at: Date;
};

export type BankDeps = {
  allAccountsSql: Sql;
  config: Pick<Config, 'BANK_NUMBER'>;
  now: () => Date;
};

/**
 * Stores a line of our bank account and, when exactly one top-up has its amount reserved at that time,
 * pays that top-up with it. The same line again changes nothing.
 *
 * @returns `matched`: whether the line is the payment of a top-up.
 */
export async function receiveBankLine(
  { allAccountsSql, config, now }: BankDeps,
  input: BankLine,
): Promise<{ matched: boolean }> {
  // A bank cannot be asked to send it again: what cannot be stored is replaced.
  const line = { ...input, sender: storable(input.sender), reference: storable(input.reference) };
  const bank = config.BANK_NUMBER;
  const hash = hashOfLine(bank, line);
  const receivedAt = now();
  const work = async (tx: Tx): Promise<{ matched: boolean }> => {
    const [stored] = await tx`
      insert into bank_lines (hash, bank, amount, description, reference, at, received_at)
      values (
        ${hash}, ${bank}, ${line.amount}, ${line.sender}, ${normalized(line.reference)}, ${line.at},
        ${receivedAt}
      ) on conflict do nothing returning hash`;
    if (!stored) return { matched: await paidWith(tx, hash) };
    const matched = await match(tx, { ...line, bank, hash, receivedAt });
    return { matched };
  };
  return retrying(() => allAccountsSql.begin(work));
}

type StoredLine = BankLine & { bank: string; hash: string; receivedAt: Date };

type ReservedTopup = { account_id: string; topup_id: string; status: TopupStatus };

/**
 * The rules of docs/money.md#bank-lines: a credit of exactly the reserved amount, on the same account, not
 * more than an hour older than the top-up and not after the reservation, by the day.
 */
async function match(tx: Tx, line: StoredLine): Promise<boolean> {
  const day = civilDate(line.at);
  const [reserved] = await tx<ReservedTopup[]>`
    select topups.account_id, topups.topup_id, ${statusAt(tx, line.receivedAt)} as status
    from reserved_transfers r join topups using (account_id, topup_id)
    where r.bank = ${line.bank} and r.amount = ${line.amount}
      and ${day}::date between
        ((topups.created_at - interval '1 hour') at time zone 'Asia/Jakarta')::date
        and (r.reserved_until at time zone 'Asia/Jakarta')::date
    for no key update of topups`;
  if (!reserved) return false;
  const topup = { accountId: reserved.account_id, topupId: reserved.topup_id };
  if (await confirmedByReference(tx, line, reserved)) {
    await assignLine(tx, line.hash, topup);
    return true;
  }
  const note = lateNote(reserved.status);
  const outcome = await applyPaid(tx, {
    ...topup,
    txnId: txnOf(line.hash),
    amount: line.amount,
    at: line.receivedAt,
    actor: 'bank',
    ...(note !== undefined && { note }),
  });
  if (outcome === 'applied' || outcome === 'second_payment') await assignLine(tx, line.hash, topup);
  return outcome === 'applied';
}

/** True when an operator confirmed the top-up with this line's reference before the line came. */
async function confirmedByReference(
  tx: Tx,
  line: StoredLine,
  reserved: ReservedTopup,
): Promise<boolean> {
  const txn = txnOf(hashOfReference(line.bank, line.reference));
  const found = await tx`
    select from provider_payments
    where provider = 'bank' and txn_id = ${txn} and amount = ${line.amount}
      and account_id = ${reserved.account_id} and topup_id = ${reserved.topup_id}`;
  return found.length > 0;
}

async function paidWith(tx: Tx, hash: string): Promise<boolean> {
  const found = await tx`
    select from bank_lines l join topups t using (account_id, topup_id)
    where l.hash = ${hash} and t.status = 'paid' and not exists (
      select from provider_payments p
      where p.provider = 'bank' and p.txn_id = ${txnOf(hash)} and p.outcome = 'second'
    )`;
  return found.length > 0;
}

/** Records which top-up a line paid. */
export async function assignLine(
  tx: Tx,
  hash: string,
  { accountId, topupId }: { accountId: string; topupId: string },
): Promise<void> {
  await tx`
    update bank_lines set account_id = ${accountId}, topup_id = ${topupId} where hash = ${hash}`;
}

/** The provider's id of a payment by bank transfer. */
export const txnOf = (hash: string): string => `bank:${hash}`;

/** Text normalized for comparison: lower case, single spaces. */
export const normalized = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase();

/** Identifies a line among all lines of all accounts: a statement read twice gives the same. */
const hashOfLine = (bank: string, { amount, sender, reference, at }: BankLine): string =>
  sha256([bank, civilDate(at), amount, normalized(sender), normalized(reference)]);

/** The hash of a reference typed by hand, before its line has come. */
export const hashOfReference = (bank: string, reference: string): string =>
  sha256([bank, 'typed', normalized(reference)]);

const sha256 = (parts: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
