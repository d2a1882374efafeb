import type { Readable } from 'node:stream';
import { type Sql, type Tx, asAccount } from './postgres/database.ts';
import { identifier } from '#server/infra/postgres/sql.ts';

/** One thing of what an account holds, as its owner takes it along. Its columns are the same in all rows. */
export type Row = Readonly<Record<string, unknown>>;

/** One kind of what an account holds. */
export type Subject = {
  /** Names its files in the archive. */
  name: string;
  /** About how many rows there are, where they may be many: for the progress only. */
  about?: () => Promise<number>;
  /** Reads them, from the beginning each time, a page at a time. */
  rows: () => AsyncIterable<Row>;
};

/** A file that goes into the archive as it is. */
export type Attachment = { path: string; sizeBytes: number; open: () => Promise<Readable> };

/** An account on its way out, and the numbers of its people, present and former, that are nobody else's. */
export type ErasureRequest = { accountId: string; phones: readonly string[] };

/**
 * What a domain holds of accounts: how their owners take it along, and how it goes. All of it may be
 * asked again after a crash, at any point.
 */
export type AccountData = {
  subjects?: (accountId: string) => readonly Subject[];
  attachments?: (accountId: string) => AsyncIterable<Attachment>;
  /** The account was closed a moment ago: ends what it had under way. */
  close?: (accountId: string) => Promise<void>;
  /** False while something is still under way that would be left behind. */
  isReady?: (erasure: ErasureRequest) => Promise<boolean>;
  /** Erases everything of a closed account, in transactions of bounded size. */
  erase?: (erasure: ErasureRequest) => Promise<void>;
};

const PAGE_ROWS = 500;

/** Reads page after page by key, each in a short transaction that sees one account. */
export async function* inPages<R extends Row>(
  { sql, accountId }: { sql: Sql; accountId: string },
  read: (tx: Tx, last: R | undefined, limit: number) => Promise<readonly R[]>,
): AsyncGenerator<R> {
  let last: R | undefined;
  for (;;) {
    const page = await asAccount(sql, accountId, (tx) => read(tx, last, PAGE_ROWS));
    yield* page;
    if (page.length < PAGE_ROWS) return;
    last = page.at(-1);
  }
}

/** Rows of which an account has few: one page. */
export async function* atOnce(read: () => Promise<readonly Row[]>): AsyncGenerator<Row> {
  yield* await read();
}

const ROWS_AT_ONCE = 2_000;

/** Repeats a statement that takes at most so many rows at once, until it finds none. */
export async function untilNone(once: (limit: number) => Promise<number>): Promise<void> {
  while ((await once(ROWS_AT_ONCE)) > 0);
}

/** Deletes an account's rows of a table that is distributed by account, some thousand in a transaction. */
export const eraseRows = (all: Sql, table: string, accountId: string): Promise<void> =>
  untilNone(async (limit) => {
    const { count } = await all`
      delete from ${identifier(table)} where ctid = any(array(
        select ctid from ${identifier(table)} where account_id = ${accountId} limit ${limit}))`;
    return count;
  });
