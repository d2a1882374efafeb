import type { Direction, MessageRow, MessageStatus } from '#contract/messages.ts';
import { type ConversationMessage, Failure, type MessageType, Quoted } from '#contract/messages.ts';
import { Id, publicId } from '#contract/base/ids.ts';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { shownName } from '#server/domains/messages/contacts.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import {
  type Body,
  type FileLink,
  chatContentOf,
  excerptOf,
} from '#server/domains/messages/content.ts';

export type StoredMessage = {
  message_id: string;
  token_id: string;
  token_name: string;
  channel: string;
  direction: Direction;
  peer: string;
  peer_name: string | null;
  type: MessageType;
  body: Body;
  status: MessageStatus;
  price: number;
  plan_round: number | null;
  charge_state: 'held' | 'captured' | 'released' | 'waived' | null;
  hold_seq: number | null;
  settle_seq: number | null;
  correct_seq: number | null;
  ref: string | null;
  failure: string | null;
  possible_duplicate: boolean;
  expires_at: Date | null;
  created_at: Date;
  scheduled_at: Date | null;
};

export type SortOrder = 'newest' | 'oldest';

export const sqlOrder = (sql: Sql | Tx, order: SortOrder): Fragment =>
  order === 'newest' ? sql`desc` : sql`asc`;

/**
 * Reads the messages that a query names.
 * The query finds ids only, mostly from an index alone; the wide rows are read for one page.
 *
 * @param ids a query of one column `message_id`.
 */
export function readMessages(
  sql: Sql | Tx,
  { accountId, ids, order }: { accountId: string; ids: Fragment; order: SortOrder },
): Promise<StoredMessage[]> {
  return sql<StoredMessage[]>`
    select m.message_id, m.token_id, t.name as token_name, t.channel, m.direction, m.peer,
      ${shownName(sql, accountId, sql`m.peer`)} as peer_name, m.type, m.body, m.price, m.charge_state, m.hold_seq, m.settle_seq,
      m.correct_seq, m.plan_round, m.ref, m.failure, m.possible_duplicate, m.expires_at, m.created_at,
      case when m.status = 'scheduled' and plan.stands is not true then 'queued' else m.status end
        as status,
      case when plan.stands then plan.ready_at end as scheduled_at
    from (${ids}) page
    cross join lateral (
      select * from messages x
      where x.account_id = ${accountId} and x.message_id = page.message_id limit 1
    ) m
    left join lateral (
      -- The scheduled time has come, or a try was made: it is no longer scheduled.
      select d.ready_at, d.attempt = 0 and d.ready_at > clock_timestamp() as stands from dispatch d
      where m.status = 'scheduled' and d.account_id = ${accountId} and d.message_id = m.message_id
    ) plan on true
    join tokens t on t.account_id = ${accountId} and t.token_id = m.token_id
    left join conversations c
      on c.account_id = ${accountId} and c.token_id = m.token_id and c.peer = m.peer
    order by m.message_id ${sqlOrder(sql, order)}`;
}

export function failureOf({ failure }: Pick<StoredMessage, 'failure'>): Failure | null {
  if (failure === null) return null;
  const known = Failure().safeParse(failure);
  return known.success ? known.data : 'rejected';
}

/** The present cost of a message to its account: nothing after a release. */
export const costOf = ({
  price,
  charge_state: charge,
}: Pick<StoredMessage, 'price' | 'charge_state'>): Rupiah =>
  rupiah(charge === 'released' || charge === 'waived' ? 0 : price);

export function messageRow(stored: StoredMessage): MessageRow {
  return {
    id: publicId('message', stored.message_id),
    direction: stored.direction,
    token: { id: publicId('token', stored.token_id), name: stored.token_name },
    peer: stored.peer,
    peer_name: stored.peer_name,
    type: stored.type,
    excerpt: excerptOf(stored.type, stored.body),
    status: stored.status,
    price: costOf(stored),
    possible_duplicate: stored.possible_duplicate,
    failure: failureOf(stored),
    created_at: stored.created_at,
    scheduled_at: stored.scheduled_at,
  };
}

export type Reaction = ConversationMessage['reactions'][number];

type Shown = {
  accountId: string;
  fileLink: FileLink;
  existingFiles: ReadonlySet<string>;
  reactions?: readonly Reaction[] | undefined;
};

export const conversationMessage = (
  stored: StoredMessage,
  { accountId, fileLink, existingFiles, reactions = [] }: Shown,
): ConversationMessage => ({
  ...messageRow(stored),
  content: chatContentOf(
    { accountId, type: stored.type, body: stored.body, existingFiles },
    fileLink,
  ),
  quoted: quotedIn(stored.body),
  reactions: [...reactions],
});

function quotedIn(body: Body): Quoted | null {
  const given = body['quoted'];
  if (typeof given !== 'object' || given === null) return null;
  const id = Id('message').safeParse(body['reply_to']);
  const read = Quoted().safeParse({
    ...given,
    id: id.success ? id.data : null,
    excerpt: (given as Body)['text'],
  });
  return read.success ? read.data : null;
}
