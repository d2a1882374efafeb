import { failureSentence } from '#contract/messages/failures.ts';
import { publicId } from '#contract/base/ids.ts';
import type { Failure, MessageType } from '#contract/messages.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { type Body, bodyForApi } from '#server/domains/messages/content.ts';
import type { Reader } from './detail.ts';
import { failureOf } from './rows.ts';

export type MessageFacts = {
  type: MessageType;
  ref: string | null;
  failure: { code: Failure; detail: string } | null;
  content: Body;
  replyTo: string | null;
  metadata: Body;
};

type MessageRef = { accountId: string; messageId: string };
type Row = {
  account_id: string;
  message_id: string;
  type: MessageType;
  body: Body;
  ref: string | null;
  failure: string | null;
};

/**
 * Facts of messages, of any accounts that `sql` sees, by public id; erased messages are left out.
 */
export async function readMessageFacts(
  sql: Sql | Tx,
  refs: readonly MessageRef[],
  reader: Reader,
): Promise<ReadonlyMap<string, MessageFacts>> {
  if (refs.length === 0) return new Map();
  const rows = await sql<Row[]>`
    select m.account_id, m.message_id, m.type, m.body, m.ref, m.failure
    from unnest(
      ${refs.map(({ accountId }) => accountId)}::uuid[], ${refs.map(({ messageId }) => messageId)}::uuid[]
    ) as r(account_id, message_id)
    cross join lateral (
      select * from messages x
      where x.account_id = r.account_id and x.message_id = r.message_id limit 1
    ) m`;
  return new Map(rows.map((row) => [publicId('message', row.message_id), factsFrom(row, reader)]));
}

function factsFrom(row: Row, reader: Reader): MessageFacts {
  const code = failureOf(row);
  const { metadata } = row.body;
  const { reply_to: replyTo, ...content } = bodyForApi(row.account_id, row.body, reader);
  return {
    type: row.type,
    ref: row.ref,
    failure: code === null ? null : { code, detail: failureSentence(code, reader.language) },
    content,
    replyTo: typeof replyTo === 'string' ? replyTo : null,
    metadata: typeof metadata === 'object' && metadata !== null ? { ...metadata } : {},
  };
}
