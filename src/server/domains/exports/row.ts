import type { ExportFormat, RowExportStatus } from '#contract/exports/exports.ts';
import type { Fragment, Tx } from '#server/infra/postgres/database.ts';
import type { ExportKind } from './sources.ts';

/** A requested file as it is stored. */
export type StoredExport = {
  account_id: string;
  export_id: string;
  kind: ExportKind;
  params: unknown;
  format: ExportFormat;
  timezone: string;
  status: RowExportStatus;
  progress: number;
  owner: string | null;
  rows: number | null;
  size_bytes: number | null;
  created_at: Date;
  expires_at: Date | null;
  /** The day of the request where its person lives. */
  day: string;
};

/** The requests of an account that are not over a day old, as far as a condition names them. */
export const readExports = (
  tx: Tx,
  accountId: string,
  also: Fragment,
): Promise<StoredExport[]> => tx<StoredExport[]>`
  select account_id, export_id, kind, params, format, timezone, status, progress, owner, rows,
    size_bytes, created_at, expires_at, to_char(created_at at time zone timezone, 'YYYY-MM-DD') as day
  from row_exports
  where account_id = ${accountId}
    and coalesce(expires_at, created_at + interval '1 day') > clock_timestamp() ${also}`;
