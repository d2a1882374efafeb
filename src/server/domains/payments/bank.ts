import { createHash } from 'node:crypto';
import type { Rupiah } from '#contract/base/money.ts';
import { civilDate } from '#contract/base/time.ts';
import type { TopupStatus } from '#contract/saldo.ts';
import { storable } from '#contract/base/text.ts';
import type { Config } from '#server/infra/config.ts';
import { type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';
import { applyPaid, noteOfLate } from './topups/pay.ts';
import { statusAt } from './topups/topup.ts';

/** A credit on our bank account, as a statement or the simulated bank tells it. */
export type BankLine = {
  amount: Rupiah;
  sender: string;
  /**
   * The bank's own reference. Where a statement has none, whoever reads it makes one of what tells
   * equal lines of a day apart (the balance behind the line, its place among its equals).
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
 * Takes a line of our bank account and, when exactly one top-up was promised its amount in its time,
 * pays that top-up with it. The same line again changes nothing.
 *
 * @returns `matched`: whether the line is the payment of a top-up.
 */
export async function receiveBankLine(
  { allAccountsSql, config, now }: BankDeps,
  told: BankLine,
): Promise<{ matched: boolean }> {
  // A bank cannot be asked to write it again: what cannot be kept is replaced.
  const line = { ...told, sender: storable(told.sender), reference: storable(told.reference) };
  const bank = config.BANK_NUMBER;
  const hash = hashOfLine(bank, line);
  const receivedAt = now();
  const work = async (tx: Tx): Promise<{ matched: boolean }> => {
    const [kept] = await tx`
      insert into bank_lines (hash, bank, amount, description, reference, at, received_at)
      values (
        ${hash}, ${bank}, ${line.amount}, ${line.sender}, ${plain(line.reference)}, ${line.at},
        ${receivedAt}
      ) on conflict do nothing returning hash`;
    if (!kept) return { matched: await paidWith(tx, hash) };
    const matched = await match(tx, { ...line, bank, hash, receivedAt });
    return { matched };
  };
  return retrying(() => allAccountsSql.begin(work));
}

type KeptLine = BankLine & { bank: string; hash: string; receivedAt: Date };

type Promised = { account_id: string; topup_id: string; status: TopupStatus };

/**
 * The rules of docs/money.md#bank-lines: a credit of exactly the promised amount, on the same account, not
 * more than an hour older than the top-up and not past the promise, by the day.
 */
async function match(tx: Tx, line: KeptLine): Promise<boolean> {
  const day = civilDate(line.at);
  const [promised] = await tx<Promised[]>`
    select topups.account_id, topups.topup_id, ${statusAt(tx, line.receivedAt)} as status
    from reserved_transfers r join topups using (account_id, topup_id)
    where r.bank = ${line.bank} and r.amount = ${line.amount}
      and ${day}::date between
        ((topups.created_at - interval '1 hour') at time zone 'Asia/Jakarta')::date
        and (r.reserved_until at time zone 'Asia/Jakarta')::date
    for no key update of topups`;
  if (!promised) return false;
  const topup = { accountId: promised.account_id, topupId: promised.topup_id };
  if (await typedBefore(tx, line, promised)) {
    await useLine(tx, line.hash, topup);
    return true;
  }
  const note = noteOfLate(promised.status);
  const outcome = await applyPaid(tx, {
    ...topup,
    txnId: txnOf(line.hash),
    amount: line.amount,
    at: line.receivedAt,
    actor: 'bank',
    ...(note !== undefined && { note }),
  });
  if (outcome === 'applied' || outcome === 'second_payment') await useLine(tx, line.hash, topup);
  return outcome === 'applied';
}

/** True when an operator confirmed the top-up with this line's reference before the line came. */
async function typedBefore(tx: Tx, line: KeptLine, promised: Promised): Promise<boolean> {
  const txn = txnOf(hashOfReference(line.bank, line.reference));
  const found = await tx`
    select from provider_payments
    where provider = 'bank' and txn_id = ${txn} and amount = ${line.amount}
      and account_id = ${promised.account_id} and topup_id = ${promised.topup_id}`;
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

/** Remembers whose payment a line is. */
export async function useLine(
  tx: Tx,
  hash: string,
  { accountId, topupId }: { accountId: string; topupId: string },
): Promise<void> {
  await tx`
    update bank_lines set account_id = ${accountId}, topup_id = ${topupId} where hash = ${hash}`;
}

/** The provider's id of a payment by bank transfer. */
export const txnOf = (hash: string): string => `bank:${hash}`;

/** Text as it is compared: no case, single spaces. */
export const plain = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase();

/** What tells a line from all others of all accounts: a statement read twice gives the same. */
const hashOfLine = (bank: string, { amount, sender, reference, at }: BankLine): string =>
  sha256([bank, civilDate(at), amount, plain(sender), plain(reference)]);

/** Stands for a reference typed by hand, while its line has not come. */
export const hashOfReference = (bank: string, reference: string): string =>
  sha256([bank, 'typed', plain(reference)]);

const sha256 = (parts: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
