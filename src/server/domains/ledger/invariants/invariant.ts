import type { Tx } from '#server/infra/postgres/database.ts';

/** An invariant, with a query for the rows that break it. */
export type Invariant = {
  invariant: string;
  description: string;
  broken: (sql: Tx) => PromiseLike<object[]>;
};

/** Accounts whose messages are being or were erased: their entries have no messages any more. */
export const closed = (sql: Tx) =>
  sql`(select account_id from accounts where closed_at is not null)`;
