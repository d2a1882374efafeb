import { Refusal } from '#contract/base/refusals.ts';
import type { SupportMessage } from '#contract/support.ts';
import { operatorNames } from '#server/domains/accounts/accounts.ts';
import { findCustomer } from '#server/domains/support/inbox/customer.ts';
import type { SupportDeps, Viewer } from '#server/domains/support/deps.ts';
import { hit } from '#server/infra/acts/limits.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { type Given, checkGiven, readContent } from './content.ts';
import { lineOf, lineOfUpload, messageOf } from './line.ts';
import { openThread } from './row.ts';
import { reopened, withLine } from './rules.ts';
import { transactionOf, writeAll } from './transaction.ts';

const LINES_A_MINUTE = 20;

type Sending = { accountId: string; viewer: Viewer; internal?: boolean };

/**
 * Writes a line, once: the same id or upload again from the same person is answered with the first line, also with another
 * text.
 *
 * @throws Refusal `support_empty`, `upload_gone`, `not_found`; of customers `support_too_many`, of operators
 *   `account_ended`; `idempotency_conflict` for the id of a line that is somebody else's, or a note instead of an answer.
 */
export async function sendLine(
  deps: SupportDeps,
  given: Given,
  { accountId, viewer, internal = false }: Sending,
): Promise<SupportMessage> {
  checkGiven(given);
  const { side, userId } = viewer;
  const line = await transactionOf(deps, { side, accountId }, async (tx) => {
    if (side === 'operator') await refuseEnded(tx, accountId);
    const at = deps.now();
    const before = await openThread(tx, accountId, at);
    const first =
      (await lineOf(tx, accountId, given.message_id)) ??
      (await lineOfUpload(tx, accountId, { upload: given.upload, userId }));
    if (first) {
      // Neither a colleague's line nor a note may pass for the answer that somebody believes they gave.
      if (first.user_id === userId && first.internal === internal) return first;
      throw new Refusal('idempotency_conflict', {});
    }
    if (side === 'customer') await countLine(tx, accountId);
    const content = await readContent(tx, deps, given, { accountId, viewer, internal });
    const author =
      side === 'operator' ? ((await operatorNames(tx, [userId])).get(userId) ?? '') : null;
    const unwritten = { thread: before, lines: [] };
    const hours = deps.hours();
    const open = internal ? unwritten : reopened(unwritten, at, hours);
    const written = withLine(
      open,
      {
        ...content,
        message_id: given.message_id,
        side,
        user_id: userId,
        author,
        internal,
        event: null,
        at,
      },
      hours,
    );
    await writeAll(tx, deps, { before, written });
    return written.lines.at(-1);
  });
  if (!line) throw new Error('a line was not written');
  deps.onNews();
  return messageOf(deps, line, { accountId, viewer });
}

/** @throws Refusal `support_too_many`; then nothing was counted. */
async function countLine(tx: Tx, accountId: string): Promise<void> {
  const limit = { scope: 'support', subject: accountId, max: LINES_A_MINUTE, windowSeconds: 60 };
  const full = await hit(tx, [limit]);
  if (full) throw new Refusal('support_too_many', { seconds: full.seconds });
}

/** @throws Refusal `not_found`, `account_ended`. */
async function refuseEnded(tx: Tx, accountId: string): Promise<void> {
  const { status } = await findCustomer(tx, accountId);
  if (status === 'closed') throw new Refusal('account_ended', {});
}
