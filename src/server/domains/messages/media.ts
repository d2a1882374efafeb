import { Refusal } from '#contract/base/refusals.ts';
import { type Failure, type MessageType, loadImage } from '#contract/messages.ts';
import { type MediaKind, isMediaKind } from '#contract/media.ts';
import type { Library } from '#server/domains/media/media.ts';
import {
  type Body,
  type FileLink,
  chatContentOf,
  fileFacts,
  mediaKindIn,
} from '#server/domains/messages/content.ts';
import { reindexMessage } from '#server/domains/messages/history/words.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { type Sql, asAccount, retrying } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { Inbound } from '#server/domains/channels/channels.ts';

export type MessageMedia = Pick<Library, 'find' | 'use' | 'stateOf' | 'endedOf'>;

export type Prepared =
  | { state: 'ready'; body: Body }
  | { state: 'failed'; failure: Failure }
  | { state: 'waiting'; fetchId: string };

type Leaving = { accountId: string; messageId: string; type: MessageType; body: Body };

/**
 * Prepares the file of a message that is about to leave: a link is first fetched into a file, which the message then
 * names (docs/decisions/010-media-and-uploads.md). A message without a file is ready as it is.
 */
export async function prepareMedia(
  { sql, media }: { sql: Sql; media: MessageMedia },
  { accountId, messageId, type, body }: Leaving,
): Promise<Prepared> {
  const kind = mediaKindIn(type, body);
  if (kind === undefined) return { state: 'ready', body };
  const { file: fileId, link } = body;
  if (typeof fileId === 'string') {
    if ((await media.find(accountId, [fileId])).has(fileId)) {
      await media.use(accountId, [fileId]);
      return { state: 'ready', body };
    }
    if (typeof link !== 'string') return { state: 'failed', failure: 'media_unreachable' };
  }
  if (typeof link !== 'string') return { state: 'ready', body };
  return fromLink({ sql, media }, { accountId, messageId, kind, body, link });
}

type Linked = { accountId: string; messageId: string; kind: MediaKind; body: Body; link: string };

async function fromLink(
  { sql, media }: { sql: Sql; media: MessageMedia },
  { accountId, messageId, kind, body, link }: Linked,
): Promise<Prepared> {
  const known = await media.stateOf({ accountId, link, kind });
  if (known.state !== 'done') return known;
  const facts = fileFacts(known.file, kind, body);
  await attach(sql, { accountId, messageId, facts });
  await media.use(accountId, [known.file.fileId]);
  return { state: 'ready', body: { ...body, ...facts } };
}

/** Stores a file's metadata in the message; a new file name becomes searchable. */
const attach = (
  sql: Sql,
  { accountId, messageId, facts }: { accountId: string; messageId: string; facts: Body },
): Promise<void> =>
  retrying(async () => {
    await sql`select attach_file(${accountId}, ${messageId}, ${json(facts)})`;
    if ('filename' in facts) await reindexMessage(sql, { accountId, messageId });
  });

/**
 * The act that fetches the image behind the link of a message, and stores it as the message's file.
 */
export const loadImageHandler = ({
  sql,
  allAccountsSql,
  media,
  fileLink,
}: {
  sql: Sql;
  allAccountsSql: Sql;
  media: MessageMedia;
  fileLink: FileLink;
}): ActHandler =>
  handle(loadImage, async ({ caller: { accountId } }, { message_id: messageId }) => {
    const [message] = await asAccount(
      sql,
      accountId,
      (tx) => tx<{ type: MessageType; body: Body }[]>`
        select type, body from messages
        where account_id = ${accountId} and message_id = ${messageId}`,
    );
    if (message?.type !== 'image') throw new Refusal('not_found', { what: 'Gambar' });
    const { type } = message;
    const prepared = await prepareMedia(
      { sql: allAccountsSql, media },
      { accountId, messageId, ...message },
    );
    const body = prepared.state === 'ready' ? prepared.body : message.body;
    return { state: prepared.state, content: chatContentOf({ accountId, type, body }, fileLink) };
  });

/** Fallback: a fetch is checked again after this long without a notification. */
export const AWAIT_MS = 60_000;

/** An inbound message with the metadata of its file, for all channels. */
export async function withFileFacts(
  media: Pick<MessageMedia, 'find'>,
  inbound: Inbound,
): Promise<Inbound> {
  const { accountId, type, body } = inbound;
  const { file: fileId } = body;
  if (!isMediaKind(type) || typeof fileId !== 'string') return inbound;
  const file = (await media.find(accountId, [fileId])).get(fileId);
  return file ? { ...inbound, body: { ...body, ...fileFacts(file, type, body) } } : inbound;
}
