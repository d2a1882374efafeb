import { PAGE_SIZE, type InputOf, type PageOf } from '#contract/base/act.ts';
import {
  type MessageRow,
  type MessageStatus,
  type StatusFilter,
  getMessage,
  listMessages,
} from '#contract/messages.ts';
import { requireToken } from '#server/domains/tokens/tokens.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type Reader, messageDetail } from './detail.ts';
import { type MessageFilter, daysAfter, pageOf, readAsAccount } from './pages.ts';
import { type SortOrder, messageRow } from './rows.ts';
import { searchMessages } from './search.ts';

export const historyActs = ({
  sql,
  reader,
}: {
  sql: Sql;
  reader: Reader;
}): readonly ActHandler[] => [
  handle(listMessages, ({ caller }, input) => messageList(sql, caller.accountId, input)),
  handle(getMessage, ({ caller: { accountId } }, { message_id: messageId }) =>
    messageDetail(sql, { accountId, messageId }, reader),
  ),
];

type ListInput = InputOf<typeof listMessages>;

/**
 * A page of the history, newest first by default; beyond the last page it is empty.
 * Totals and offsets come from the rollups, so that the last page costs the same as the first.
 */
export async function messageList(
  sql: Sql,
  accountId: string,
  input: ListInput,
): Promise<PageOf<MessageRow>> {
  const filter = filterOf(input);
  const order: SortOrder = input.sort_type === 'asc' ? 'oldest' : 'newest';
  const offset = (input.page ?? 0) * PAGE_SIZE;
  const query = { accountId, filter, order, offset, limit: PAGE_SIZE };
  return readAsAccount(sql, accountId, async (tx) => {
    if (input.token_id !== undefined) {
      await requireToken(tx, accountId, input.token_id, { alsoDeleted: true });
    }
    const { stored, ...page } = input.q
      ? await searchMessages(tx, input.q, query)
      : await pageOf(tx, query);
    return { rows: stored.map(messageRow), ...page };
  });
}

export function filterOf(
  input: Pick<ListInput, 'from' | 'to' | 'status' | 'direction' | 'token_id' | 'type'>,
): MessageFilter {
  return {
    from: input.from,
    until: input.to && daysAfter(input.to, 1),
    statuses: input.status?.flatMap(statusesOf),
    direction: input.direction,
    tokenId: input.token_id,
    type: input.type,
  };
}

const statusesOf = (status: StatusFilter): readonly MessageStatus[] =>
  status === 'waiting' ? ['accepted', 'queued', 'sending'] : [status];
