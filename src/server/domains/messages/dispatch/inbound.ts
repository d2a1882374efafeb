import { cleanedName } from '#contract/base/names.ts';
import { storable, storableJson } from '#contract/base/text.ts';
import type { Inbound, MessageBody } from '#server/domains/channels/channels.ts';
import { type Sql, type Tx, asAccount, retrying } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { newId } from '#server/infra/ids.ts';
import {
  type FoundQuestion,
  matchChoice,
  canBeChoice,
  openQuestion,
  questionIn,
  storeChoice,
} from '#server/domains/messages/choices.ts';
import { excerptOf } from '#server/domains/messages/content.ts';
import { quotedByNetwork } from '#server/domains/messages/submit/place.ts';
import { contactName, namesOnCard, recordNames } from '#server/domains/messages/contacts.ts';
import { deleteOptout, lockOptouts, storeOptout } from '#server/domains/messages/optouts.ts';

const SENDER_NAME_MAX = 100;

/** Stored characters of each text of a message: the maximum of WhatsApp's apps. */
const TEXT_MAX = 65_536;

const stopKeywords = new Set(['stop', 'berhenti', 'unsub', 'unsubscribe']);
const startKeywords = new Set(['start', 'mulai']);

/** Whether a text is only one of these keywords: a command, not a message to read. */
export function isOptInOutKeyword(text: string): boolean {
  const keyword = keywordOf(text);
  return stopKeywords.has(keyword) || startKeywords.has(keyword);
}

/** A longer text is never a keyword; this also avoids scanning 65,536 characters. */
const KEYWORD_TEXT_MAX = 40;

/**
 * A text normalized for comparing keywords: people write `STOP`, `*Stop*`, `berhenti!` and `stop 🙏`.
 */
function keywordOf(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length > KEYWORD_TEXT_MAX) return '';
  const word = trimmed.normalize('NFKC').replace(/^[^\p{L}\p{N}?]+|[^\p{L}\p{N}?]+$/gu, '');
  return word.toLowerCase();
}

type Received = {
  accountId: string;
  tokenId: string;
  messageId: string;
  peer: string;
  name: string | undefined;
};

/** Runs inside the transaction that stores a message, and commits or rolls back with it. */
export type OnReceived = (tx: Tx, received: Received) => Promise<void>;

type Stored = { receive_message: boolean; contactName: string | null } & FoundQuestion;

/**
 * Stores an inbound message with its event, idempotent by provider id. STOP or BERHENTI opts the sender out of this
 * token, MULAI or START in again, in the same transaction; an opt-out cancels waiting messages. A text that chooses
 * from the message it answers is stored with its choice (docs/api.md#choices).
 * An edit or deletion changes the earlier message, and is stored itself only if that one does not exist.
 *
 * @returns its id; undefined when it was stored before, or has changed another one.
 */
export async function receiveInbound(
  sql: Sql,
  inbound: Inbound,
  onReceived?: OnReceived,
): Promise<string | undefined> {
  const stored = sanitizeInbound(inbound);
  const { accountId, tokenId, from, name } = stored;
  const messageId = stored.messageId ?? newId();
  return asAccount(sql, accountId, async (tx) => {
    if (stored.changes && (await changeEarlierMessage(tx, stored, stored.changes)))
      return undefined;
    const body = await bodyWithReferences(tx, stored);
    const text = textOf(stored);
    // Lock order: before the wallet, which storing a message locks.
    if (stopKeywords.has(keywordOf(text ?? ''))) await lockOptouts(tx, accountId);
    const isAnswer = text !== undefined && stored.quotes === undefined && canBeChoice(text);
    const [received] = await tx<Stored[]>`
      with known as materialized (select ${contactName(tx, accountId, tx`${from}::text`)} as name)
      select receive_message(
        ${accountId}, ${tokenId}, ${messageId}, ${from}, ${name ?? null}, ${stored.type},
        ${json(body)}, ${stored.providerId}, ${excerptOf(stored.type, body)}, known.name
      ), known.name as "contactName" ${isAnswer ? openQuestion(tx, stored) : tx``}
      from known`;
    if (!received?.receive_message) return undefined;
    await recordNames(tx, accountId, 'received_card', namesOnCard(stored.type, body));
    if (text !== undefined) await applyKeyword(tx, stored, keywordOf(text));
    const choice = isAnswer ? matchChoice(text, questionIn(received)) : undefined;
    if (choice) await storeChoice(tx, { accountId, messageId }, choice);
    const shown = received.contactName ?? name;
    await onReceived?.(tx, { accountId, tokenId, messageId, peer: from, name: shown });
    return messageId;
  });
}

/**
 * Adds the file's metadata to a message that was stored without it; the message's own text stays.
 */
export async function completeInbound(
  sql: Sql,
  { accountId, tokenId, providerId, body: { caption: _, ...file } }: Inbound,
): Promise<void> {
  await retrying(() =>
    asAccount(
      sql,
      accountId,
      (tx) => tx`
        select complete_inbound(
          ${accountId}, ${tokenId}, ${storable(providerId)}, ${json(storableJson(file))}
        )`,
    ),
  );
}

async function changeEarlierMessage(
  tx: Tx,
  { accountId, tokenId, from, providerId, at }: Inbound,
  { providerId: earlier, text }: NonNullable<Inbound['changes']>,
): Promise<boolean> {
  const [row] = await tx<{ change_inbound: boolean }[]>`
    select change_inbound(
      ${accountId}, ${tokenId}, ${from}, ${storable(earlier)}, ${providerId},
      ${text === undefined ? null : storable(text.slice(0, TEXT_MAX))}, ${at}
    )`;
  return row?.change_inbound === true;
}

function textOf({ type, body: { text } }: Inbound): string | undefined {
  return type === 'text' && typeof text === 'string' ? text : undefined;
}

/**
 * The stored body: with the id in the network, and for a message that names another, that one's id, excerpt and the
 * choice made.
 */
async function bodyWithReferences(tx: Tx, inbound: Inbound): Promise<Record<string, unknown>> {
  const { accountId, tokenId, from: peer, type, body, providerId, quotes } = inbound;
  const own = { ...body, provider_id: providerId };
  if (quotes === undefined) return own;
  const named = await quotedByNetwork(tx, { accountId, tokenId, peer }, quotes);
  if (!named) return own;
  const name = type === 'reaction' ? 'message_id' : 'reply_to';
  const text = textOf(inbound);
  const choice = text === undefined ? undefined : matchChoice(text, named.question);
  return { ...own, [name]: named.id, quoted: named.quoted, ...(choice && { choice }) };
}

/** Replaces characters that the database cannot store: a network does not send a message again. */
const sanitizeInbound = ({ name: given = '', quotes, ...inbound }: Inbound): Inbound => {
  const name = cleanedName(storable(given), SENDER_NAME_MAX);
  return {
    ...inbound,
    ...(quotes !== undefined && { quotes: storable(quotes) }),
    from: storable(inbound.from),
    ...(name !== undefined && { name }),
    body: storableJson(shortenTexts(inbound.body)),
    providerId: storable(inbound.providerId),
  };
};

const shortenTexts = (body: MessageBody): MessageBody =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.slice(0, TEXT_MAX) : value,
    ]),
  );

async function applyKeyword(tx: Tx, { accountId, tokenId, from }: Inbound, keyword: string) {
  const ref = { accountId, tokenId, peer: from };
  if (stopKeywords.has(keyword)) await storeOptout(tx, ref, { source: 'reply' });
  else if (startKeywords.has(keyword)) await deleteOptout(tx, ref);
}
