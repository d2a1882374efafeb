import type { Sql } from '#server/infra/postgres/database.ts';
import type { Cell, Column } from './table.ts';

/** Rows of an account that can be taken along as a file, as the domain that holds them offers them. */
export type RowSource<Params> = {
  /** What the file is called, without its ending. */
  fileName: string;
  /** Refuses parameters that name what the account does not have. @param sql sees one account. @throws Refusal `not_found` */
  check: (accountId: string, params: Params, sql: Sql) => Promise<void>;
  /** The rows, as they stand when they are read, each in short transactions. */
  open: (request: RowRequest<Params>) => Promise<OpenedRows>;
};

export type RowRequest<Params> = {
  /** Where the rows are read: it sees one account, and only reads. Work on it may run twice. */
  sql: Sql;
  accountId: string;
  params: Params;
  /** A UUIDv7 of the request: what came after it is left out. */
  requestId: string;
  /** What times are called: `WIB`. */
  zoneName: string;
};

export type OpenedRows = {
  columns: readonly Column[];
  /** About how many rows are looked at. */
  total: number;
  /** Some rows at a time, and how many were looked at for them. */
  batches: () => AsyncIterable<{ rows: readonly (readonly Cell[])[]; looked: number }>;
};
