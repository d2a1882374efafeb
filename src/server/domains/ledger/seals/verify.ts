import type { Sql } from '#server/infra/postgres/database.ts';
import { type AccountSeal, digestEntries, digestTxns } from './digest.ts';
import { type FiledSeal, readSeals } from './seal-file.ts';
import { sealHash } from './seal.ts';

/** The first day that is not as it was sealed, and what of it differs. */
export type SealDifference = { day: string; why: string };
export type SealVerification = { seals: number; difference: SealDifference | undefined };

type Options = {
  /** The data folder, whose file has the same seals. Left out: they are not compared. */
  folder?: string | undefined;
  /** Only the newest seal is hashed again. */
  newestOnly?: boolean;
};

type StoredSeal = {
  seal_no: number;
  day: string;
  previous: string;
  hash: string;
  gl_digest: string;
};

const SEALS_AT_ONCE = 500;
const ACCOUNTS_AT_ONCE = 2_000;

/**
 * Hashes what was sealed again, seal by seal, and stops at the first that differs: an entry or a booking
 * that was changed, added among sealed ones, or removed; a seal that was changed or removed, also one that
 * only the file still has. Reads a page at a time.
 */
export async function verifySeals(
  allAccountsSql: Sql,
  { folder, newestOnly = false }: Options = {},
): Promise<SealVerification> {
  const filed = folder === undefined ? new Map<number, FiledSeal>() : await readSeals(folder);
  let before: StoredSeal | undefined;
  let seals = 0;
  for await (const seal of storedSeals(allAccountsSql, newestOnly)) {
    const why =
      linkDifference(seal, newestOnly ? undefined : (before ?? null), filed) ??
      (await contentDifference(allAccountsSql, seal));
    if (why !== undefined) return { seals, difference: { day: seal.day, why } };
    before = seal;
    seals += 1;
  }
  const gone = [...filed].find(([number]) => number > (before?.seal_no ?? 0));
  const difference = gone && { day: gone[1].day, why: 'this seal is only in the file' };
  return { seals, difference };
}

async function* storedSeals(sql: Sql, newestOnly: boolean): AsyncGenerator<StoredSeal> {
  let last = 0;
  if (newestOnly) {
    yield* await sql<StoredSeal[]>`
      select seal_no, day, previous, hash, gl_digest from ledger_seals
      order by seal_no desc limit 1`;
    return;
  }
  for (;;) {
    const page: StoredSeal[] = await sql<StoredSeal[]>`
      select seal_no, day, previous, hash, gl_digest from ledger_seals where seal_no > ${last}
      order by seal_no limit ${SEALS_AT_ONCE}`;
    yield* page;
    const end = page.at(-1);
    if (!end || page.length < SEALS_AT_ONCE) return;
    last = end.seal_no;
  }
}

/** How a seal fits to the one before and to the file; `before` is null for the first. */
function linkDifference(
  seal: StoredSeal,
  before: StoredSeal | null | undefined,
  filed: ReadonlyMap<number, FiledSeal>,
): string | undefined {
  if (before !== undefined) {
    if (seal.seal_no !== (before?.seal_no ?? 0) + 1) return 'a seal before it is gone';
    if (seal.previous !== (before?.hash ?? '0'.repeat(64)))
      return 'it does not follow the seal before';
  }
  const line = filed.get(seal.seal_no);
  if (line && line.hash !== seal.hash) return 'the file has another hash';
  return undefined;
}

async function contentDifference(sql: Sql, seal: StoredSeal): Promise<string | undefined> {
  const chain = sealHash({ number: seal.seal_no, day: seal.day, previous: seal.previous });
  for await (const account of accountsOf(sql, seal.seal_no)) {
    const { toSeq, digest } = await digestEntries(sql, {
      accountId: account.account_id,
      after: account.from_seq - 1,
      upto: account.to_seq,
    });
    if (toSeq !== account.to_seq || digest !== account.digest) {
      return `entries ${account.from_seq} to ${account.to_seq} of the account ${account.account_id} differ`;
    }
    chain.add(account);
  }
  const bookings = await digestTxns(sql, { sealNo: seal.seal_no });
  if (bookings.digest !== seal.gl_digest) return 'bookings of the general ledger differ';
  return chain.end(bookings.digest) === seal.hash ? undefined : 'the seal itself differs';
}

async function* accountsOf(sql: Sql, sealNo: number): AsyncGenerator<AccountSeal> {
  let last = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const page: AccountSeal[] = await sql<AccountSeal[]>`
      select account_id, from_seq, to_seq, digest from ledger_seal_accounts
      where seal_no = ${sealNo} and account_id > ${last}::uuid
      order by account_id limit ${ACCOUNTS_AT_ONCE}`;
    yield* page;
    const end = page.at(-1);
    if (!end || page.length < ACCOUNTS_AT_ONCE) return;
    last = end.account_id;
  }
}
