import { createHash } from 'node:crypto';
import { civilDate, wibMidnight } from '#contract/base/time.ts';
import type { Seal } from '#contract/operator/money/books.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { type AccountSeal, accountsToSeal, digestEntries, digestTxns } from './digest.ts';
import { appendSeals } from './seal-file.ts';

type Deps = {
  allAccountsSql: Sql;
  now: () => Date;
  /** The data folder: the seals stand in a file of it as well. */
  folder: string;
};

const DAY_MS = 86_400_000;
/** What the first seal follows. */
const NOTHING = '0'.repeat(64);
const ROWS_AT_ONCE = 2_000;

/** The civil day before an instant, in WIB. */
const dayBefore = (at: Date): string => civilDate(new Date(at.getTime() - DAY_MS));
const nextDay = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
const endOf = (day: string): Date => new Date(wibMidnight(day).getTime() + DAY_MS);

/**
 * Seals every day up to yesterday that is not sealed yet, and writes the seals into the file.
 *
 * What a seal has does not depend on clocks: of a wallet, the entries after its last sealed one, up to the
 * first that says the day was over. Entries are committed in the order of their numbers, so none can turn up
 * among those. A booking has no number: it is in the first seal after its commit. So whatever is committed
 * late, with an instant of a sealed day, is in the next seal (docs/money.md#the-money-desk).
 *
 * @returns the seals made now.
 */
export async function sealDays({ allAccountsSql, now, folder }: Deps): Promise<Seal[]> {
  const made: Seal[] = [];
  const last = dayBefore(now());
  let before = await lastSeal(allAccountsSql);
  for (let day = before ? nextDay(before.day) : last; day <= last; day = nextDay(day)) {
    before = await sealDay(allAccountsSql, { day, before, at: now() });
    made.push(before);
  }
  await appendSeals(folder, allAccountsSql);
  return made;
}

/** The newest seal; `undefined` before the first. */
export async function lastSeal(sql: Sql | Tx): Promise<Seal | undefined> {
  const [found] = await sql<Seal[]>`
    select seal_no as number, day, hash, entries, bookings, created_at as at
    from ledger_seals order by seal_no desc limit 1`;
  return found;
}

type Day = { day: string; before: Seal | undefined; at: Date };

async function sealDay(sql: Sql, { day, before, at }: Day): Promise<Seal> {
  const end = endOf(day);
  const number = (before?.number ?? 0) + 1;
  const previous = before?.hash ?? NOTHING;
  const chain = sealHash({ number, day, previous });
  const accounts: AccountSeal[] = [];
  let entries = 0;
  for await (const { account_id, sealed } of accountsToSeal(sql)) {
    const part = await digestEntries(sql, { accountId: account_id, after: sealed, end });
    if (part.toSeq === sealed) continue;
    const account = {
      account_id,
      from_seq: sealed + 1,
      to_seq: part.toSeq,
      digest: part.digest,
    };
    accounts.push(account);
    chain.add(account);
    entries += part.toSeq - sealed;
  }
  const bookings = await digestTxns(sql, { end });
  const hash = chain.end(bookings.digest);
  await sql.begin(async (tx) => {
    await tx`
      insert into ledger_seals (
        seal_no, day, previous, hash, entries, bookings, gl_digest, created_at
      ) values (
        ${number}, ${day}, ${previous}, ${hash}, ${entries}, ${bookings.ids.length},
        ${bookings.digest}, ${at}
      )`;
    await storeAccounts(tx, number, accounts);
    await storeTxns(tx, number, bookings.ids);
  });
  return { number, day, hash, entries, bookings: bookings.ids.length, at };
}

/** The hash of a seal: the one before, then what each account and the general ledger have. */
export function sealHash({
  number,
  day,
  previous,
}: {
  number: number;
  day: string;
  previous: string;
}) {
  const hash = createHash('sha256').update(`${previous}\n${number}\n${day}\n`);
  return {
    /** In the order of account ids. */
    add: ({ account_id, from_seq, to_seq, digest }: AccountSeal) =>
      void hash.update(`${account_id} ${from_seq} ${to_seq} ${digest}\n`),
    end: (glDigest: string): string => hash.update(`gl ${glDigest}\n`).digest('hex'),
  };
}

async function storeAccounts(
  tx: Tx,
  number: number,
  accounts: readonly AccountSeal[],
): Promise<void> {
  for (const some of inParts(accounts)) {
    await tx`
      insert into ledger_seal_accounts (account_id, seal_no, from_seq, to_seq, digest)
      select account_id, ${number}, from_seq, to_seq, digest from unnest(
        ${some.map((one) => one.account_id)}::uuid[], ${some.map((one) => one.from_seq)}::bigint[],
        ${some.map((one) => one.to_seq)}::bigint[], ${some.map((one) => one.digest)}::text[]
      ) as a(account_id, from_seq, to_seq, digest)`;
  }
}

async function storeTxns(
  tx: Tx,
  number: number,
  ids: readonly { account_id: string; txn_id: string }[],
): Promise<void> {
  for (const some of inParts(ids)) {
    await tx`
      insert into ledger_seal_txns (account_id, txn_id, seal_no)
      select account_id, txn_id, ${number} from unnest(
        ${some.map((one) => one.account_id)}::uuid[], ${some.map((one) => one.txn_id)}::uuid[]
      ) as t(account_id, txn_id)`;
  }
}

function* inParts<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += ROWS_AT_ONCE) {
    yield all.slice(from, from + ROWS_AT_ONCE);
  }
}
