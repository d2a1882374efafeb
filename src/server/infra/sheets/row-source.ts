import type { Sql } from '#server/infra/postgres/database.ts';
import type { Cell, Column } from './table.ts';

/** Rows of an account that can be exported to a file, as offered by the domain that holds them. */
export type RowSource<Params> = {
  fileName: string;
  /**
   * Rejects parameters that name records the account does not have. @param sql sees one account. @throws Refusal
   * `not_found`
   */
  check: (accountId: string, params: Params, sql: Sql) => Promise<void>;
  /** The rows, current when they are read, each in short transactions. */
  open: (request: RowRequest<Params>) => Promise<OpenedRows>;
};

export type RowRequest<Params> = {
  /** Sees one account, and only reads. Work on it may run twice. */
  sql: Sql;
  accountId: string;
  params: Params;
  /** A UUIDv7 of the request: later rows are left out. */
  requestId: string;
  zoneName: string;
};

export type OpenedRows = {
  columns: readonly Column[];
  total: number;
  batches: () => AsyncIterable<{ rows: readonly (readonly Cell[])[]; looked: number }>;
};
