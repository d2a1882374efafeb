import type { Readable } from 'node:stream';
import { type Sql, type Tx, asAccount } from './postgres/database.ts';
import { identifier } from '#server/infra/postgres/sql.ts';

/** A row of an account's data export. All rows of a subject have the same columns. */
export type Row = Readonly<Record<string, unknown>>;

export type Subject = {
  name: string;
  /** Approximate row count, for the progress only; absent where there are few rows. */
  about?: () => Promise<number>;
  rows: () => AsyncIterable<Row>;
};

export type Attachment = { path: string; sizeBytes: number; open: () => Promise<Readable> };

/**
 * An account being erased, and its users' phone numbers, past and present, unless used elsewhere.
 */
export type ErasureRequest = { accountId: string; phones: readonly string[] };

export type AccountDataDeps = {
  sql: Sql;
  /** For what several accounts share, or belongs to the installation. */
  allAccountsSql: Sql;
};

/** Export and erasure hooks of a domain. Any call may be repeated after a crash. */
export type AccountData = {
  subjects?: (accountId: string) => readonly Subject[];
  attachments?: (accountId: string) => AsyncIterable<Attachment>;
  /** Ends the account's work in progress; called right after the account was closed. */
  close?: (accountId: string) => Promise<void>;
  /** False while work in progress would leave data behind. */
  isReady?: (erasure: ErasureRequest) => Promise<boolean>;
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

/** For subjects with few rows: one page. */
export async function* atOnce(read: () => Promise<readonly Row[]>): AsyncGenerator<Row> {
  yield* await read();
}

const ROWS_AT_ONCE = 2_000;

export async function untilNone(once: (limit: number) => Promise<number>): Promise<void> {
  while ((await once(ROWS_AT_ONCE)) > 0);
}

/** Deletes an account's rows from a table distributed by account, in bounded transactions. */
export const eraseRows = (all: Sql, table: string, accountId: string): Promise<void> =>
  untilNone(async (limit) => {
    const { count } = await all`
      delete from ${identifier(table)} where ctid = any(array(
        select ctid from ${identifier(table)} where account_id = ${accountId} limit ${limit}))`;
    return count;
  });
