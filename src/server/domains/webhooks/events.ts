import { publicId } from '#contract/base/ids.ts';
import { shownPeer } from '#contract/messages/peer.ts';
import { type EventType, WebhookEvent } from '#contract/webhooks.ts';
import type { MessageFacts } from '#server/domains/messages/messages.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import type { WebhookDeps } from './deps.ts';
import type { EventContext } from './formats.ts';

/** A stored event of a type that webhooks and the feed carry. */
export type StoredEvent = {
  account_id: string;
  position: number;
  type: EventType;
  at: Date;
  message_id: string | null;
  conversation_seq: number | null;
  token_id: string | null;
  peer: string | null;
  status: string | null;
  cost: number | null;
  data: Readonly<Record<string, unknown>> | null;
};

/** The columns of a `StoredEvent`, from an event `e`. */
export const eventColumns = (sql: Sql | Tx): Fragment => sql`
  e.account_id, e.position, webhook_type(e.kind, e.status, e.data) as type, e.at, e.message_id,
  e.conversation_seq, e.token_id, e.peer, e.status, e.cost, e.data`;

/** An event for webhooks and the feed, with the message facts that other formats need. */
export type ReadEvent = { event: WebhookEvent } & Omit<EventContext, 'phone'>;

/**
 * Reads events in their order. An event whose message is erased is undefined; one that does not match its schema is
 * `broken`: it is reported, and never skipped as if it had been delivered.
 */
export async function readEvents(
  { messageFacts, report }: Pick<WebhookDeps, 'messageFacts' | 'report'>,
  sql: Sql | Tx,
  stored: readonly StoredEvent[],
): Promise<(ReadEvent | 'broken' | undefined)[]> {
  const facts = await messageFacts(
    sql,
    stored.flatMap(({ account_id: accountId, message_id: messageId }) =>
      messageId === null ? [] : [{ accountId, messageId }],
    ),
  );
  return stored.map((event) => {
    const data = dataOf(event, facts);
    if (data === undefined) return undefined;
    const { type, at } = event;
    const read = WebhookEvent().safeParse({ type, timestamp: at.toISOString(), data });
    if (read.success) return { event: read.data, ...besideOf(event, facts) };
    report(new Error(`the event ${type} does not match its schema`, { cause: read.error }));
    return 'broken';
  });
}

const besideOf = (
  { message_id: id }: StoredEvent,
  facts: ReadonlyMap<string, MessageFacts>,
): Omit<EventContext, 'phone'> => {
  const message = id === null ? undefined : facts.get(publicId('message', id));
  return { metadata: message?.metadata ?? {} };
};

function dataOf(event: StoredEvent, facts: ReadonlyMap<string, MessageFacts>): object | undefined {
  const { account_id, position, message_id, token_id, data } = event;
  const common = {
    account: publicId('account', account_id),
    token: token_id === null ? (data?.['token_id'] ?? null) : publicId('token', token_id),
    seq: position,
  };
  if (message_id === null) return { ...data, ...idOf(data), ...shownNumbers(data), ...common };
  const id = publicId('message', message_id);
  const message = facts.get(id);
  if (!message) return undefined;
  return {
    ...common,
    id,
    peer: event.peer && shownPeer(event.peer),
    type: message.type,
    conversation_seq: event.conversation_seq,
    status: event.status,
    ref: message.ref,
    price: event.cost ?? 0,
    failure: event.type === 'message.failed' ? message.failure : null,
    peer_name: data?.['peer_name'] ?? null,
    content: message.content,
    reply_to: message.replyTo,
  };
}

const shownNumbers = (data: StoredEvent['data']): object =>
  Object.fromEntries(
    ['peer', 'phone'].flatMap((name) => {
      const number = data?.[name];
      return typeof number === 'string' ? [[name, shownPeer(number)]] : [];
    }),
  );

const idOf = (data: StoredEvent['data']): object => {
  const id = data?.['topup_id'] ?? data?.['invoice_id'];
  return id === undefined ? {} : { id };
};
