import { beginIn, inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { publicId } from '#contract/base/ids.ts';
import { systemAccount } from '#server/domains/accounts/accounts.ts';
import { eraseEventsOf } from '#server/domains/events/events.ts';
import { type Files, releaseFile } from '#server/domains/media/media.ts';
import { forgetNotices } from '#server/domains/push/push.ts';
import { type AccountData, atOnce, eraseRows, inPages } from '#server/infra/account-data.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { inboxTag } from './thread/notify.ts';

type Deps = { sql: Sql; allAccountsSql: Sql; files: Files };

/** What was written to and by customer service. Notes of operators go with it, and are no part of the archive. */
export const supportAccountData = ({ sql, allAccountsSql, files }: Deps): AccountData => ({
  subjects: (accountId) => [
    { name: 'layanan-pelanggan', rows: () => linesOf(sql, accountId) },
    {
      name: 'penilaian-layanan',
      rows: () =>
        atOnce(() =>
          asAccount(
            sql,
            accountId,
            (tx) => tx`
              select score, comment, at from support_ratings where account_id = ${accountId}
              order by closed_seq`,
          ),
        ),
    },
  ],
  erase: async ({ accountId }) => {
    await eraseNoteFiles({ allAccountsSql, files }, accountId);
    await eraseRows(allAccountsSql, 'support_messages', accountId);
    await eraseRows(allAccountsSql, 'support_ratings', accountId);
    await eraseRows(allAccountsSql, 'support_threads', accountId);
    const system = await systemAccount(allAccountsSql);
    if (system === undefined) return;
    const about = publicId('account', accountId);
    await inAccount(system, () => eraseEventsOf(allAccountsSql, { accountId: system, about }));
    await forgetNotices(allAccountsSql, { accountId: system, tag: inboxTag(accountId) });
  },
});

type Exported = {
  seq: number;
  message_id: string;
  side: string;
  author: string | null;
  type: string;
  body: { file?: string; upload?: string };
  card: object | null;
  at: Date;
};

/** Its files are among the account's own; here they are named by their ids. */
async function* linesOf(sql: Sql, accountId: string) {
  const rows = inPages<Exported>(
    { sql, accountId },
    (tx, last, limit) => tx<Exported[]>`
      select seq, message_id, side, author, type, body, card, at from support_messages
      where account_id = ${accountId} and not internal and seq > ${last?.seq ?? 0}
      order by seq limit ${limit}`,
  );
  for await (const { message_id, body, ...facts } of rows) {
    const { file, upload: _, ...content } = body;
    const shown = file === undefined ? content : { ...content, file: publicId('file', file) };
    yield { id: publicId('support', message_id), ...facts, body: shown };
  }
}

/** Files of notes are the installation's own: they go one by one, before the rows that name them. */
async function eraseNoteFiles(
  { allAccountsSql, files }: Omit<Deps, 'sql'>,
  accountId: string,
): Promise<void> {
  const system = await systemAccount(allAccountsSql);
  if (system === undefined) return;
  const notes = await allAccountsSql<{ file: string }[]>`
    select body ->> 'file' as file from support_messages
    where account_id = ${accountId} and internal and body ? 'file'`;
  for (const { file } of notes) {
    const which = { accountId: system, fileId: file };
    const digests = await beginIn(allAccountsSql, system, (tx) => releaseFile(tx, which));
    await files.erase(allAccountsSql, digests);
  }
}
