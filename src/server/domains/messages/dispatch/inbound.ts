import { cleanedName } from '#contract/base/names.ts';
import { storable, storableJson } from '#contract/base/text.ts';
import type { Inbound, MessageBody } from '#server/domains/channels/channels.ts';
import { type Sql, type Tx, asAccount, retrying } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { newId } from '#server/infra/ids.ts';
import {
  type FoundQuestion,
  choiceBy,
  mayChoose,
  openQuestion,
  questionIn,
  storeChoice,
} from '#server/domains/messages/choices.ts';
import { excerptOf } from '#server/domains/messages/content.ts';
import { quotedByNetwork } from '#server/domains/messages/submit/lookups.ts';
import { contactName } from '#server/domains/messages/contacts.ts';
import {
  deleteOptout,
  lockOptouts,
  storeOptout,
} from '#server/domains/messages/optouts/optouts.ts';

/** Letters of what a sender calls itself that are stored. */
const SENDER_NAME_MAX = 100;

/** Letters of each text of a message that are stored: as many as an app of WhatsApp sends at most. */
const TEXT_MAX = 65_536;

/** Words with which a recipient stops, and resumes, receiving from a token. */
const stopKeywords = new Set(['stop', 'berhenti', 'unsub', 'unsubscribe']);
const startKeywords = new Set(['start', 'mulai']);

/** Whether a text is only one of these keywords: a command, not a message to read. */
export function isOptInOutKeyword(text: string): boolean {
  const keyword = keywordOf(text);
  return stopKeywords.has(keyword) || startKeywords.has(keyword);
}

/** A longer text is no keyword, whatever stands around its word; nor is time spent on one of 65,536 letters. */
const KEYWORD_TEXT_MAX = 40;

/** A text as keywords are compared: people write `STOP`, `*Stop*`, `berhenti!` and `stop 🙏`. */
function keywordOf(text: string): string {
  const said = text.trim();
  if (said.length > KEYWORD_TEXT_MAX) return '';
  const word = said.normalize('NFKC').replace(/^[^\p{L}\p{N}?]+|[^\p{L}\p{N}?]+$/gu, '');
  return word.toLowerCase();
}

/** A stored inbound message. */
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
 * Stores an inbound message, with its event, once: the same provider id twice is one message. STOP or
 * BERHENTI opts the sender out of this token, MULAI or START back in, in the same transaction; what waits for who
 * opts out is cancelled. A text that
 * chooses from the message it answers is stored with its choice (docs/api.md#choices).
 *
 * One that edits or deletes an earlier message changes that one instead, and is stored itself only where the earlier
 * one is not there.
 *
 * @returns its id; undefined when it was there, or has changed another one.
 */
export async function receiveInbound(
  sql: Sql,
  inbound: Inbound,
  onReceived?: OnReceived,
): Promise<string | undefined> {
  const stored = storableInbound(inbound);
  const { accountId, tokenId, from, name } = stored;
  const messageId = stored.messageId ?? newId();
  return asAccount(sql, accountId, async (tx) => {
    if (stored.changes && (await changeEarlier(tx, stored, stored.changes))) return undefined;
    const body = await namingBody(tx, stored);
    const text = textOf(stored);
    // Before the wallet, which storing a message locks.
    if (stopKeywords.has(keywordOf(text ?? ''))) await lockOptouts(tx, accountId);
    const isAnswer = text !== undefined && stored.quotes === undefined && mayChoose(text);
    const [received] = await tx<Stored[]>`
      with known as materialized (select ${contactName(tx, accountId, tx`${from}::text`)} as name)
      select receive_message(
        ${accountId}, ${tokenId}, ${messageId}, ${from}, ${name ?? null}, ${stored.type},
        ${json(body)}, ${stored.providerId}, ${excerptOf(stored.type, body)}, known.name
      ), known.name as "contactName" ${isAnswer ? openQuestion(tx, stored) : tx``}
      from known`;
    if (!received?.receive_message) return undefined;
    if (text !== undefined) await applyKeyword(tx, stored, keywordOf(text));
    const choice = isAnswer ? choiceBy(text, questionIn(received)) : undefined;
    if (choice) await storeChoice(tx, { accountId, messageId }, choice);
    const shown = received.contactName ?? name;
    await onReceived?.(tx, { accountId, tokenId, messageId, peer: from, name: shown });
    return messageId;
  });
}

/** Gives a message that was stored without its file what is known of it now: its own words stay. */
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

/** False when the message that is to be changed is not there. */
async function changeEarlier(
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

/** What a text says; undefined for anything else. */
function textOf({ type, body: { text } }: Inbound): string | undefined {
  return type === 'text' && typeof text === 'string' ? text : undefined;
}

/** What is stored of it: also its id in the network, and, when it names a message, which one, what that says, and what of it is chosen. */
async function namingBody(tx: Tx, inbound: Inbound): Promise<Record<string, unknown>> {
  const { accountId, tokenId, from: peer, type, body, providerId, quotes } = inbound;
  const own = { ...body, provider_id: providerId };
  if (quotes === undefined) return own;
  const named = await quotedByNetwork(tx, { accountId, tokenId, peer }, quotes);
  if (!named) return own;
  const name = type === 'reaction' ? 'message_id' : 'reply_to';
  const text = textOf(inbound);
  const choice = text === undefined ? undefined : choiceBy(text, named.question);
  return { ...own, [name]: named.id, quoted: named.quoted, ...(choice && { choice }) };
}

/** Replaces what the database cannot store: a network cannot be asked to send it again. */
const storableInbound = ({ name: given = '', quotes, ...inbound }: Inbound): Inbound => {
  const name = cleanedName(storable(given), SENDER_NAME_MAX);
  return {
    ...inbound,
    ...(quotes !== undefined && { quotes: storable(quotes) }),
    from: storable(inbound.from),
    ...(name !== undefined && { name }),
    body: storableJson(shortened(inbound.body)),
    providerId: storable(inbound.providerId),
  };
};

const shortened = (body: MessageBody): MessageBody =>
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
