import { publicId } from '#contract/base/ids.ts';
import type { RowExportStatus } from '#contract/exports/exports.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import type { FileRef } from '#server/infra/made-files/attempts.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

/** Tells open tabs that a file has changed: whose it is and how it stands, unless it was deleted. */
export async function announce(tx: Tx, { accountId, exportId }: FileRef): Promise<void> {
  const [stored] = await tx<{ user_id: string; status: RowExportStatus }[]>`
    select user_id, status from row_exports
    where account_id = ${accountId} and export_id = ${exportId}`;
  const data = stored && { status: stored.status, user_id: publicId('user', stored.user_id) };
  await appendEvent(tx, { accountId, kind: 'export.changed', data: data ?? {} });
}
