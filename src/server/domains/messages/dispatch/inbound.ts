import { storable, storableJson } from '#contract/base/text.ts';
import type { Inbound } from '#server/domains/channels/channels.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';

/** Words with which a recipient stops, and resumes, receiving from a token. */
const stopWords = new Set(['stop', 'berhenti']);
const startWords = new Set(['start', 'mulai']);

/** Whether a text is nothing but one of these words: an order to the house, no news for people. */
export function isOrder(text: string): boolean {
  const word = text.trim().toLowerCase();
  return stopWords.has(word) || startWords.has(word);
}

/** A message that has come in, as it is kept. */
type Received = {
  accountId: string;
  tokenId: string;
  messageId: string;
  peer: string;
  name: string | undefined;
};

/** Runs inside the transaction that keeps a message: what it does stands or falls with it. */
export type OnReceived = (tx: Tx, received: Received) => Promise<void>;

/**
 * Keeps an inbound message, with its event, once: the same provider id twice is one message. STOP or
 * BERHENTI opts the sender out of this token, MULAI or START back in, in the same transaction.
 */
export async function receiveInbound(
  sql: Sql,
  told: Inbound,
  onReceived?: OnReceived,
): Promise<void> {
  const inbound = keepable(told);
  const { accountId, tokenId, from, name, body } = inbound;
  const messageId = newId();
  await asAccount(sql, accountId, async (tx) => {
    const [kept] = await tx<{ receive_message: boolean }[]>`
      select receive_message(
        ${accountId}, ${tokenId}, ${messageId}, ${from}, ${name ?? null}, ${inbound.type},
        ${tx.json(body as never)}, ${inbound.providerId}
      )`;
    if (!kept?.receive_message) return;
    const text = inbound.type === 'text' ? body['text'] : undefined;
    if (typeof text === 'string') await heedWord(tx, inbound, text.trim().toLowerCase());
    await onReceived?.(tx, { accountId, tokenId, messageId, peer: from, name });
  });
}

/** A network cannot be asked to write it again: what the database cannot keep is replaced. */
const keepable = ({ name, ...told }: Inbound): Inbound => ({
  ...told,
  from: storable(told.from),
  ...(name !== undefined && { name: storable(name) }),
  body: storableJson(told.body),
  providerId: storable(told.providerId),
});

async function heedWord(tx: Tx, { accountId, tokenId, from }: Inbound, word: string) {
  if (stopWords.has(word)) {
    await tx`
      insert into optouts (account_id, token_id, peer)
      values (${accountId}, ${tokenId}, ${from}) on conflict do nothing`;
  } else if (startWords.has(word)) {
    await tx`
      delete from optouts
      where account_id = ${accountId} and token_id = ${tokenId} and peer = ${from}`;
  }
}
