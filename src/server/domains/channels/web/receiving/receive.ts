import { storable } from '#contract/base/text.ts';
import type { Inbound, MessageBody, Receipt, Sinks } from '#server/domains/channels/channels.ts';
import { otherContent, placeContent } from '#server/domains/channels/other-content.ts';
import { takeInbound } from '#server/domains/channels/inbound-file.ts';
import { peerOfLid } from '#server/domains/channels/web/engine/baileys/addresses.ts';
import type {
  EngineReceipt,
  EngineSocket,
  ReceivedContent,
  ReceivedMessage,
} from '#server/domains/channels/web/engine/engine.ts';
import { isMessageHeld } from './inbox.ts';
import { noteChats } from '#server/domains/channels/web/sending/chats.ts';
import { failureOf } from '#server/domains/channels/web/sending/refusals.ts';
import {
  messageIdsOf,
  noteAcknowledged,
} from '#server/domains/channels/web/sending/sent-storage.ts';
import type { Library } from '#server/domains/media/media.ts';
import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { idOfText } from '#server/infra/ids.ts';

export type ReceiveDeps = {
  allAccountsSql: Sql;
  sinks: Sinks;
  library: Pick<Library, 'take'>;
  /** Another worker may hold the number by now. */
  socket: () => EngineSocket | undefined;
  /** The number of an anonymous address, once the network has told it. */
  phoneOf: (lid: string) => string | undefined;
  /** How often this message was tried before. */
  tries: number;
};

/** A file that could not be fetched so often is missing. */
const DOWNLOADS_MAX = 4;

/**
 * Hands a message on. The same one again is the same message: whoever takes it knows it by its id.
 *
 * @returns false when an earlier one that it changes is not stored yet.
 * @throws what passes: it is to be tried again.
 */
export async function receiveMessage(
  deps: ReceiveDeps,
  token: TokenRef,
  { message, messageId }: { message: ReceivedMessage; messageId?: string },
): Promise<boolean> {
  const { fromMe, wireId, name } = message;
  const quotes = message.quotes && storable(message.quotes);
  const peer = peerOf(deps, message);
  if (peer === undefined) return true;
  await noteChats(deps.allAccountsSql, token, [peer]);
  if (fromMe) return true;
  const { content } = message;
  if (content.kind === 'change') {
    if (await isMessageHeld(deps.allAccountsSql, token, storable(content.of))) return false;
  }
  const { type, body, changes } = await contentOf(deps, token, message);
  const own = quotes && (await messageIdsOf(deps.allAccountsSql, token, [quotes])).get(quotes);
  await deps.sinks.inbound({
    ...token,
    from: peer,
    type,
    body: { ...body, ...message.about },
    ...(changes && { changes }),
    at: new Date(message.atMs),
    ...(messageId !== undefined && { messageId }),
    providerId: content.kind === 'waiting' ? waitingId(wireId) : wireId,
    ...(name !== undefined && { name }),
    ...(quotes !== undefined && { quotes: own ?? quotes }),
  });
  return true;
}

/** The sender's number, else the id of a hidden number. */
function peerOf({ phoneOf }: ReceiveDeps, { phone, lid }: ReceivedMessage): string | undefined {
  return phone ?? (lid && (phoneOf(lid) ?? peerOfLid(lid)));
}

/** The line of a message that could not be decrypted is none of the message itself, which may come later. */
const waitingId = (wireId: string): string => `${wireId}#waiting`;

/** Says at the line of a message that could not be decrypted that the message has come. */
export async function endWaiting(
  deps: ReceiveDeps,
  token: TokenRef,
  message: ReceivedMessage,
): Promise<void> {
  const { wireId, atMs } = message;
  const peer = peerOf(deps, message);
  if (peer === undefined) return;
  const text = 'Pesan ini sudah diterima';
  await deps.sinks.inbound({
    ...token,
    from: peer,
    ...otherContent('waiting'),
    changes: { providerId: waitingId(wireId), text },
    at: new Date(atMs),
    providerId: `${waitingId(wireId)}#came`,
  });
}

type Content = Pick<Inbound, 'type' | 'body' | 'changes'>;

async function contentOf(
  deps: ReceiveDeps,
  token: TokenRef,
  { wireId, content }: ReceivedMessage,
): Promise<Content> {
  switch (content.kind) {
    case 'media':
      return { type: content.media, body: await mediaBody(deps, token, wireId, content) };
    case 'text':
    case 'contact':
    case 'reaction': {
      const { kind, ...body } = content;
      return { type: kind, body };
    }
    case 'location': {
      const { kind: _, ...place } = content;
      return placeContent(place);
    }
    case 'other':
      return otherContent(content.other, content.details);
    case 'change': {
      const { of, text } = content;
      return {
        ...otherContent(text === undefined ? 'revoked' : 'edited', text),
        changes: { providerId: of, ...(text !== undefined && { text }) },
      };
    }
    case 'waiting':
      return otherContent('waiting');
  }
}

type Media = Extract<ReceivedContent, { kind: 'media' }>;

/** A message is not lost for its file: one that the network no longer has is missing. */
async function mediaBody(
  { socket, library, tries }: ReceiveDeps,
  token: TokenRef,
  wireId: string,
  { media, reference, mime, caption, filename, voice }: Media,
): Promise<MessageBody> {
  const words = {
    ...(caption !== undefined && { caption }),
    ...(filename !== undefined && { filename }),
    ...(voice === true && { voice }),
  };
  const connected = socket();
  if (!connected) throw new Error('the file of a message cannot be fetched: not connected');
  const bytes = await connected.download(reference).catch((error: unknown) => {
    if (tries + 1 < DOWNLOADS_MAX) throw error;
    return 'gone' as const;
  });
  if (bytes === 'gone') return { missing: 'expired', ...words };
  if (bytes === 'refused') return { missing: 'refused', ...words };
  const taken = await takeInbound(library, {
    accountId: token.accountId,
    kind: media,
    said: { name: filename ?? '', type: mime },
    bytes: Buffer.from(bytes),
    // Always the same, so that the same message twice has one file.
    fileId: idOfText(`web file:${token.tokenId}:${wireId}`),
  });
  return { ...taken, ...words };
}

/** Hands receipts on. @returns those that could not be stored; of messages of others nothing is said. */
export async function receiveReceipts(
  { allAccountsSql, sinks }: Pick<ReceiveDeps, 'allAccountsSql' | 'sinks'>,
  token: TokenRef,
  receipts: readonly EngineReceipt[],
): Promise<EngineReceipt[]> {
  const ids = await messageIdsOf(
    allAccountsSql,
    token,
    receipts.map(({ wireId }) => wireId),
  );
  const known = new Map<Receipt, EngineReceipt>();
  for (const receipt of receipts) {
    const messageId = ids.get(receipt.wireId);
    if (messageId === undefined) continue;
    const { accountId } = token;
    const { status, code, atMs } = receipt;
    const at = new Date(atMs);
    if (status === 'failed') {
      known.set({ accountId, messageId, status, failure: failureOf(code), at }, receipt);
    } else {
      await noteAcknowledged(allAccountsSql, { accountId, messageId });
      known.set({ accountId, messageId, status, at }, receipt);
    }
  }
  if (known.size === 0) return [];
  const failed = await sinks.receipts([...known.keys()]);
  return failed.flatMap(({ item }) => known.get(item) ?? []);
}
