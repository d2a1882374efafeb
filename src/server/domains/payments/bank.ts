import type { TopupDeps } from '#server/domains/payments/deps.ts';
import { createHash } from 'node:crypto';
import type { Rupiah } from '#contract/base/money.ts';
import { civilDate } from '#contract/base/time.ts';
import type { TopupStatus } from '#contract/saldo.ts';
import { bankReference, storable } from '#contract/base/text.ts';
import { type Fragment, type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';
import { inAccountOf } from '#server/infra/postgres/distribution/scope.ts';
import { applyPaid, lateNote } from './topups/pay.ts';
import { statusAt } from './topups/topup.ts';

export type BankLine = {
  amount: Rupiah;
  sender: string;
  /** The bank's own reference; '' where a statement has none. */
  reference: string;
  /** Distinguishes equal statement lines of a day: the balance after the line and its index among its equals. */
  place?: string;
  /** Booking time at the bank; a statement may have the day only. */
  at: Date;
};

/**
 * Outcome of a line: `known`: it was read before · `pays`: it pays its top-up · `joins`: it belongs to a payment
 * confirmed earlier by its reference · `second`: its top-up was paid before, so the money lies in suspense ·
 * `twin`: a known line has the same day and amount · `kept`: an operator must settle it
 */
export type LineOutcome = 'known' | 'pays' | 'joins' | 'second' | 'twin' | 'kept';

/** A line within this many rupiah of a total may be its payment without the kode unik. */
export const NEAR = 999;

/**
 * Stores a line of our bank account and pays the top-up that has its amount reserved at that time, if there is exactly
 * one. Safe to repeat with the same line.
 *
 * @returns `matched`: whether the line is the payment of a top-up.
 */
export async function receiveBankLine(
  deps: Pick<TopupDeps, 'allAccountsSql' | 'config' | 'now'>,
  input: BankLine,
): Promise<{ matched: boolean }> {
  const line = identifiedLine(deps.config.BANK_NUMBER, input);
  const work = async (tx: Tx): Promise<{ matched: boolean }> => {
    const outcome = await storeLine(tx, line, deps.now());
    if (outcome === 'known') return { matched: await paidWith(tx, line.hash) };
    return { matched: outcome === 'pays' || outcome === 'joins' };
  };
  return inAccountOfLine(deps.allAccountsSql, line, work);
}

export const inAccountOfLine = <T>(
  allAccountsSql: Sql,
  line: IdentifiedLine,
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  inAccountOf(
    async () => {
      const [found] = await allAccountsSql<{ account_id: string }[]>`
        select account_id from bank_lines where hash = ${line.hash} and account_id is not null
        union all
        select account_id from reserved_transfers
        where bank = ${line.bank} and amount = ${line.amount}
        limit 1`;
      return found?.account_id;
    },
    () => retrying(() => allAccountsSql.begin(work)),
  );

export type IdentifiedLine = BankLine & {
  bank: string;
  hash: string;
  importedBy?: string;
  importId?: string;
};

/** Replaces characters that cannot be stored, because a bank cannot be asked to send a line again. */
export function identifiedLine(bank: string, input: BankLine): IdentifiedLine {
  const line = {
    ...input,
    sender: storable(input.sender),
    reference: storable(input.reference),
  };
  return { ...line, reference: bankReference(line.reference), bank, hash: hashOfLine(bank, line) };
}

export async function storeLine(
  tx: Tx,
  line: IdentifiedLine,
  receivedAt: Date,
): Promise<LineOutcome> {
  const twin = line.importId === undefined ? null : await lockedTwin(tx, line, line.importId);
  const [stored] = await tx`
    insert into bank_lines (
      hash, bank, amount, description, reference, at, received_at, imported_by, import_id,
      twin_of
    ) values (
      ${line.hash}, ${line.bank}, ${line.amount}, ${line.sender}, ${line.reference}, ${line.at},
      ${receivedAt}, ${line.importedBy ?? null}, ${line.importId ?? null}, ${twin}
    ) on conflict do nothing returning hash`;
  if (!stored) return 'known';
  return twin === null ? match(tx, line, receivedAt) : 'twin';
}

/** A known line with the day and amount of an imported one, locked against a concurrent import. */
async function lockedTwin(tx: Tx, line: IdentifiedLine, importId: string): Promise<string | null> {
  const same = `${line.bank} ${civilDate(line.at)} ${line.amount}`;
  await tx`select pg_advisory_xact_lock(7206324, hashtext(${same}))`;
  const [found] = await tx<{ hash: string | null }[]>`
    select ${twinOf(tx, importId)} as hash
    from (
      select ${line.hash}::text as hash, ${line.bank}::text as bank, ${line.amount}::bigint as amount,
        ${line.at}::timestamptz as at
    ) l`;
  return found?.hash ?? null;
}

/**
 * A known line with the bank, day and amount of row `l`, from another import: the same money, or a second payment.
 */
export const twinOf = (sql: Sql | Tx, importId: string): Fragment => sql`(
  select b.hash from bank_lines b
  where b.bank = l.bank and b.amount = l.amount and b.hash <> l.hash
    and (b.at at time zone 'Asia/Jakarta')::date = (l.at at time zone 'Asia/Jakarta')::date
    and (b.import_id is null or b.import_id <> ${importId})
  order by b.received_at, b.hash limit 1
)`;

/** Pays with a stored twin, after an operator has seen both lines at the bank. */
export const payWithTwin = (
  tx: Tx,
  stored: {
    hash: string;
    bank: string;
    amount: Rupiah;
    description: string;
    reference: string;
    at: Date;
  },
  receivedAt: Date,
): Promise<LineOutcome> =>
  match(tx, { ...stored, sender: stored.description, place: '' }, receivedAt);

type ReservedTopup = { account_id: string; topup_id: string; status: TopupStatus };

/**
 * The rules of docs/money.md#bank-lines: a credit of exactly the reserved amount, on the same account, at most one hour
 * older than the top-up, and not after the reservation, by the day.
 */
async function match(tx: Tx, line: IdentifiedLine, receivedAt: Date): Promise<LineOutcome> {
  const day = civilDate(line.at);
  const [reserved] = await tx<ReservedTopup[]>`
    select topups.account_id, topups.topup_id, ${statusAt(tx, receivedAt)} as status
    from reserved_transfers r join topups using (account_id, topup_id)
    where r.bank = ${line.bank} and r.amount = ${line.amount}
      and ${fitsReservation(tx, tx`${day}::date`)}
    for no key update of topups`;
  if (!reserved) return 'kept';
  const topup = { accountId: reserved.account_id, topupId: reserved.topup_id };
  if (await wasConfirmedBefore(tx, line, reserved)) {
    await assignLine(tx, line.hash, topup);
    return 'joins';
  }
  const note = lateNote(reserved.status);
  const outcome = await applyPaid(tx, {
    ...topup,
    txnId: txnOf(line.hash),
    amount: line.amount,
    at: receivedAt,
    actor: 'bank',
    ...(note !== undefined && { note }),
  });
  if (outcome !== 'applied' && outcome !== 'second_payment') return 'kept';
  await assignLine(tx, line.hash, topup);
  return outcome === 'applied' ? 'pays' : 'second';
}

/** SQL condition: a day fits the reservation `r` of a row of `topups`. */
export const fitsReservation = (sql: Sql | Tx, day: Fragment): Fragment => sql`
  ${day} between ((topups.created_at - interval '1 hour') at time zone 'Asia/Jakarta')::date
    and (r.reserved_until at time zone 'Asia/Jakarta')::date`;

/**
 * True when an operator confirmed the top-up before the line arrived: with its reference, or, for a statement line,
 * with a typed reference whose line has not arrived. Typed references are rarely exact, and the money comes only once.
 */
async function wasConfirmedBefore(
  tx: Tx,
  line: IdentifiedLine,
  reserved: ReservedTopup,
): Promise<boolean> {
  const txn = txnOf(hashOfReference(line.bank, line.reference));
  const found = await tx`
    select from provider_payments p
    where p.provider = 'bank' and p.amount = ${line.amount}
      and p.account_id = ${reserved.account_id} and p.topup_id = ${reserved.topup_id}
      and (
        (p.txn_id = ${txn} and ${line.reference} <> '')
        or (${line.place !== undefined} and ${awaitsLine(tx)})
      )`;
  return found.length > 0;
}

/** SQL condition: payment `p` was confirmed by a typed reference, and its line has not arrived. */
export const awaitsLine = (sql: Sql | Tx): Fragment => sql`(
  p.outcome = 'paid'
  and not exists (select from bank_lines paid where paid.hash = substr(p.txn_id, 6))
  and not exists (
    select from bank_lines joined
    where joined.account_id = p.account_id and joined.topup_id = p.topup_id
  )
)`;

async function paidWith(tx: Tx, hash: string): Promise<boolean> {
  const found = await tx`
    select from bank_lines l join topups t using (account_id, topup_id)
    where l.hash = ${hash} and t.status = 'paid' and not exists (
      select from provider_payments p
      where p.provider = 'bank' and p.txn_id = ${txnOf(hash)} and p.outcome = 'second'
    )`;
  return found.length > 0;
}

export async function assignLine(
  tx: Tx,
  hash: string,
  { accountId, topupId }: { accountId: string; topupId: string },
): Promise<void> {
  await tx`
    update bank_lines set account_id = ${accountId}, topup_id = ${topupId} where hash = ${hash}`;
}

export const txnOf = (hash: string): string => `bank:${hash}`;

/** Normalized for comparison: lower case, single spaces. */
export const normalized = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase();

/** Identifies a line across all accounts; reading a statement twice gives the same hash. */
const hashOfLine = (bank: string, { amount, sender, reference, place, at }: BankLine): string =>
  sha256([
    bank,
    civilDate(at),
    amount,
    normalized(sender),
    normalized(reference),
    ...(place === undefined ? [] : ['CR', place]),
  ]);

export const hashOfReference = (bank: string, reference: string): string =>
  // Lower case, because older hashes were made before references had one spelling.
  sha256([bank, 'typed', bankReference(reference).toLowerCase()]);

const sha256 = (parts: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
