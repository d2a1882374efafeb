import type { ActHandler } from '#server/infra/acts.ts';
import type { SupportDeps } from './deps.ts';
import { inboxActs } from './inbox/acts.ts';
import { customerActs } from './thread/customer-acts.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { announceChange, inboxTag } from './thread/notify.ts';
import { existingThread, writeThread } from './thread/line.ts';
import { closed, writeAll } from './thread/send.ts';
import { beginIn, inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { publicId } from '#contract/base/ids.ts';
import { systemAccount } from '#server/domains/accounts/accounts.ts';
import { eraseEventsAboutAccount } from '#server/domains/events/events.ts';
import { type Files, releaseFile } from '#server/domains/media/media.ts';
import { forgetNotices } from '#server/domains/push/push.ts';
import {
  type AccountData,
  type AccountDataDeps,
  atOnce,
  eraseRows,
  inPages,
} from '#server/infra/account-data.ts';

type Deps = AccountDataDeps & { files: Files };

/** Messages from and to customer support. Notes of operators are erased with it, and are not in the archive. */
export const supportAccountData = ({ sql, allAccountsSql, files }: Deps): AccountData => ({
  subjects: (accountId) => [
    { name: 'layanan-pelanggan', rows: () => messagesOf(sql, accountId) },
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
    await inAccount(system, () =>
      eraseEventsAboutAccount(allAccountsSql, { accountId: system, about }),
    );
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

/** Its files are exported with the account's own; here they are named by their ids. */
async function* messagesOf(sql: Sql, accountId: string) {
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

/** Files of notes belong to the installation: they are deleted one by one, before their rows. */
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

const THREADS_AT_ONCE = 200;

type UpkeepDeps = Pick<
  SupportDeps,
  'allAccountsSql' | 'now' | 'hours' | 'systemAccountId' | 'onNews'
> & {
  closeDays: () => number;
};

/** Reopens threads whose snooze is over, and closes quiet ones without a pending answer. Run each minute. */
export async function closeStaleThreads(deps: UpkeepDeps): Promise<void> {
  const at = deps.now();
  const quietSince = new Date(at.getTime() - deps.closeDays() * 86_400_000);
  const due = (sql: Sql) => sql<{ account_id: string }[]>`
    select account_id from support_threads
    where (status = 'snoozed' and snoozed_until <= ${at})
      or (status = 'open' and waiting_since is null and last_at < ${quietSince})
    limit ${THREADS_AT_ONCE}`;
  const found = await due(deps.allAccountsSql);
  for (const { account_id } of found) await updateStaleThread(deps, account_id, { at, quietSince });
  if (found.length > 0) deps.onNews();
}

/** Checks one thread again under its lock. */
async function updateStaleThread(
  deps: UpkeepDeps,
  accountId: string,
  { at, quietSince }: { at: Date; quietSince: Date },
): Promise<void> {
  await deps.allAccountsSql.begin(async (tx) => {
    const before = await existingThread(tx, accountId);
    if (before.snoozed_until !== null && before.snoozed_until <= at) {
      // The quiet days start now, because it was snoozed to be seen today.
      const open = { ...before, status: 'open' as const, snoozed_until: null, last_at: at };
      await writeThread(tx, open);
      await announceChange(tx, open, false);
      return;
    }
    if (before.status !== 'open' || before.waiting_since !== null) return;
    if (before.last_at >= quietSince) return;
    const words = `Percakapan ditutup otomatis setelah ${deps.closeDays()} hari tanpa pesan`;
    const ending = { at, words, hours: deps.hours(), byItself: true };
    const written = closed({ thread: before, lines: [] }, ending);
    await writeAll(tx, deps, { before, written });
  });
}

export type { SupportDeps } from './deps.ts';
export { openUsualAnswer } from './hours.ts';
export { supportFigures } from './inbox/list.ts';
export { openTranscript } from './transcript.ts';

export const supportActs = (deps: SupportDeps): readonly ActHandler[] => [
  ...customerActs(deps),
  ...inboxActs(deps),
];
