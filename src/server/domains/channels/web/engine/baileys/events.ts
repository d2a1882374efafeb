import {
  type BaileysEventMap,
  type ConnectionState,
  type WAMessage,
  type WASocket,
  WAMessageStubType,
  normalizeMessageContent,
  proto,
} from 'baileys';
import type {
  EngineEvent,
  EngineReceipt,
  ReceivedContent,
  ReceivedMessage,
} from '#server/domains/channels/web/engine/engine.ts';
import { at } from '#server/infra/net/json-values.ts';
import { lidIn, phoneIn, wireIdIn, isPerson } from './addresses.ts';
import { instantIn, lineOf } from './received-lines.ts';
import type { MediaKind } from '#contract/media.ts';
import { readCard } from '#contract/messages/sending.ts';
import { CARDS_MAX, idOfCard, inboundCard } from '#server/domains/channels/inbound-card.ts';
import { referenceOf } from './media.ts';

/** One event a second is enough to know that a busy connection lives. */
const ACTIVITY_EVERY_MS = 1_000;
const CLOSED = 428;

/** Forwards a socket's events in our format, in order. @param report receives our own bugs */
export function forwardEvents(
  sock: WASocket,
  onEvent: (event: EngineEvent) => void,
  report: (error: unknown) => void,
): void {
  forwardConnection(sock, onEvent);
  forwardPasskeys(sock, onEvent);
  const inOrder = ordered(report);
  const phoneOf = async (lid: string) =>
    phoneIn(await sock.signalRepository.lidMapping.getPNForLID(lid));
  const forward = (messages: readonly WAMessage[], isLive: boolean) =>
    inOrder(async () => {
      const read = await Promise.all(
        messages.map((message) => receivedFrom(message, phoneOf, report)),
      );
      const known = read.flat();
      if (known.length > 0) onEvent({ kind: 'messages', isLive, messages: known });
    });
  sock.ev.on('messages.upsert', ({ messages, type }) => forward(messages, type === 'notify'));
  sock.ev.on('messaging-history.set', ({ messages, lidPnMappings = [] }) => {
    forwardNumbers(lidPnMappings, onEvent);
    forward(messages, false);
  });
  sock.ev.on('lid-mapping.update', (mapping) => forwardNumbers([mapping], onEvent));
  sock.ev.on('messages.update', (updates) => {
    const receipts = updates.flatMap(receiptFrom);
    if (receipts.length > 0) onEvent({ kind: 'receipts', receipts });
  });
  sock.ev.on('message-capping.update', ({ capping_status: status, cycle_end_timestamp: end }) => {
    const untilMs = Number(end) * 1_000;
    const isCapped = status === 'CAPPED';
    onEvent({ kind: 'capping', isCapped, ...(untilMs > 0 && { untilMs }) });
  });
}

function forwardConnection(sock: WASocket, onEvent: (event: EngineEvent) => void): void {
  let activeAt = 0;
  sock.ws.on('message', () => {
    const now = performance.now();
    if (now - activeAt < ACTIVITY_EVERY_MS) return;
    activeAt = now;
    onEvent({ kind: 'heard' });
  });
  sock.ev.on('connection.update', ({ qr, isNewLogin, connection, ...more }) => {
    const phone = phoneIn(sock.authState.creds.me?.id) ?? '';
    if (qr !== undefined) onEvent({ kind: 'qr', text: qr });
    if (isNewLogin) onEvent({ kind: 'paired', phone });
    if (connection === 'open') onEvent({ kind: 'open', phone });
    if (more.reachoutTimeLock) onEvent(timeLock(more.reachoutTimeLock));
    if (connection === 'close') onEvent(closedBy(more.lastDisconnect?.error));
  });
}

/**
 * Passkey requests; the library ignores them (Baileys issue 2672), so the link would only expire.
 */
const passkeyRequests = ['passkey_prologue_request', 'crsc_continuation'];

function forwardPasskeys(sock: Pick<WASocket, 'ws'>, onEvent: (event: EngineEvent) => void): void {
  for (const type of passkeyRequests) {
    sock.ws.on(`CB:notification,type:${type}`, () => onEvent({ kind: 'passkey' }));
  }
}

function ordered(report: (error: unknown) => void): (work: () => Promise<void>) => void {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    last = last.then(work).catch(report);
  };
}

const timeLock = ({
  isActive = false,
  timeEnforcementEnds,
}: NonNullable<ConnectionState['reachoutTimeLock']>): EngineEvent => ({
  kind: 'time_lock',
  isActive,
  ...(timeEnforcementEnds && { untilMs: timeEnforcementEnds.getTime() }),
});

/** Reasons of the network to refuse a login because the phone has removed the session. */
const loggedOut: ReadonlySet<unknown> = new Set(['401', '406']);

/**
 * The end of a connection. A proxy may answer 401 as well: the network reports a removed session by a conflict
 * (`device_removed`), or by refusing the login.
 */
export function closedBy(error: unknown): Extract<EngineEvent, { kind: 'closed' }> {
  const status = at(error, 'output', 'statusCode');
  const isRemoved = at(error, 'data', 'attrs', 'type') === 'device_removed';
  const isRefused =
    error instanceof Error &&
    error.message === 'Connection Failure' &&
    loggedOut.has(at(error, 'data', 'reason'));
  const code = typeof status === 'number' ? status : CLOSED;
  return { kind: 'closed', code, ...((isRemoved || isRefused) && { isLoggedOut: true }) };
}

function forwardNumbers(
  mappings: readonly { pn: string; lid: string }[],
  onEvent: (event: EngineEvent) => void,
): void {
  const numbers = mappings.flatMap(({ pn, lid: address }) => {
    const phone = phoneIn(pn);
    const lid = lidIn(address);
    return phone && lid ? [{ lid, phone }] : [];
  });
  if (numbers.length > 0) onEvent({ kind: 'numbers', numbers });
}

/** 0 failed, 3 delivered, 4 read, 5 played; 2 (on the server) is known from its acknowledgement. */
const statusOf: Readonly<Record<number, EngineReceipt['status']>> = {
  0: 'failed',
  3: 'delivered',
  4: 'read',
  5: 'read',
};

function receiptFrom({ key, update }: BaileysEventMap['messages.update'][number]): EngineReceipt[] {
  const status = typeof update.status === 'number' ? statusOf[update.status] : undefined;
  if (!key.id || key.fromMe !== true || !status) return [];
  const atMs = instantIn(update.messageTimestamp) ?? Date.now();
  const parameters: unknown = update.messageStubParameters;
  const first: unknown = Array.isArray(parameters) ? parameters[0] : undefined;
  const code = status === 'failed' ? Number.parseInt(String(first), 10) || 0 : undefined;
  return [{ wireId: wireIdIn(key.id), status, ...(code !== undefined && { code }), atMs }];
}

/**
 * Converts a message of the library; each of several contact cards becomes a message. None for a message outside a
 * one-to-one chat (groups, the protocol's own notices), or one that only changes a chat's settings.
 *
 * @param phoneOfLid the number of an anonymous address, if the library knows it
 * @param report receives our own bugs: an unreadable message becomes a line that says so
 */
export async function receivedFrom(
  message: WAMessage,
  phoneOfLid: (lid: string) => Promise<string | undefined>,
  report: (error: unknown) => void,
): Promise<ReceivedMessage[]> {
  const { key, pushName, messageTimestamp } = message;
  const { id } = key;
  if (!id || !isPerson(key.remoteJid)) return [];
  const read = readable(message, report);
  if (!read) return [];
  const lid = lidIn(key.remoteJid) ?? lidIn(key.remoteJidAlt);
  // Without a number, the conversation stays under the anonymous address until the network discloses it.
  const numberOf = (address: string) =>
    phoneOfLid(address).catch((error: unknown) => {
      report(error);
      return undefined;
    });
  const phone =
    phoneIn(key.remoteJid) ?? phoneIn(key.remoteJidAlt) ?? (lid && (await numberOf(lid)));
  const fromMe = key.fromMe === true;
  const atMs = instantIn(messageTimestamp) ?? Date.now();
  return read.contents.map((content, index) => ({
    wireId: idOfCard(wireIdIn(id), index),
    ...(phone && { phone }),
    ...(lid && { lid }),
    fromMe,
    ...(pushName && !fromMe && { name: pushName }),
    atMs,
    content,
    ...(read.quotes && { quotes: wireIdIn(read.quotes) }),
    ...(read.about && { about: read.about }),
  }));
}

/** From this count on, a message is frequently forwarded, as in WhatsApp's own apps. */
const FORWARDED_OFTEN = 5;
const FACT_MAX = 2_000;

function aboutOf(message: proto.IMessage | null | undefined): Pick<ReceivedMessage, 'about'> {
  const parts = Object.values(normalizeMessageContent(message) ?? {}) as readonly unknown[];
  const context = parts
    .filter((part) => typeof part === 'object' && part !== null && 'contextInfo' in part)
    .map(({ contextInfo }) => contextInfo as proto.IContextInfo | null | undefined)
    .find((one) => one);
  if (!context) return {};
  const { isForwarded, forwardingScore, externalAdReply: card } = context;
  const advertisement = card?.ctwaClid || card?.sourceType === 'ad' ? card : undefined;
  const facts = {
    source_url: advertisement?.sourceUrl,
    source_id: advertisement?.sourceId,
    source_type: advertisement?.sourceType,
    headline: advertisement?.title,
    body: advertisement?.body,
    ctwa_clid: advertisement?.ctwaClid,
  };
  const referral = Object.entries(facts).flatMap(([name, fact]) =>
    fact ? [[name, fact.slice(0, FACT_MAX)]] : [],
  );
  const about = {
    ...(isForwarded && { forwarded: true }),
    ...((forwardingScore ?? 0) >= FORWARDED_OFTEN && { frequently_forwarded: true }),
    ...(referral.length > 0 && { referral: Object.fromEntries(referral) }),
  };
  return Object.keys(about).length > 0 ? { about } : {};
}

type Read = {
  contents: readonly ReceivedContent[];
  quotes?: string | null | undefined;
  about?: ReceivedMessage['about'];
};

const one = (content: ReceivedContent, quotes?: string | null): Read => ({
  contents: [content],
  quotes,
});

function readable(message: WAMessage, report: (error: unknown) => void): Read | undefined {
  try {
    const read = contentsOf(message);
    return read && { ...read, ...aboutOf(message.message) };
  } catch (error) {
    report(withoutContent(error));
    return one({ kind: 'other', other: 'unsupported' });
  }
}

/** A read error with only its place in our code: its own text may quote the message. */
function withoutContent(error: unknown): Error {
  const { name, stack = '' } = error instanceof Error ? error : new Error();
  const bare = new Error(`a message that came in cannot be read: ${name}`);
  const places = stack.split('\n').filter((line) => /^ {4}at .*:\d+:\d+\)?$/.test(line));
  bare.stack = [bare.message, ...places].join('\n');
  return bare;
}

/** Missed calls, which the library reports as stubs. */
const missedCalls: ReadonlySet<unknown> = new Set([
  WAMessageStubType.CALL_MISSED_VOICE,
  WAMessageStubType.CALL_MISSED_VIDEO,
]);

function contentsOf(whole: WAMessage): Read | undefined {
  const { key, message, messageStubType: stub } = whole;
  const content = normalizeMessageContent(message);
  if (!content) {
    // The network sends view-once files to the phone only.
    if (key.isViewOnce) return one({ kind: 'other', other: 'view_once' });
    if (stub === WAMessageStubType.CIPHERTEXT) return one({ kind: 'waiting' });
    return missedCalls.has(stub) ? one({ kind: 'other', other: 'call' }) : undefined;
  }
  const { protocolMessage, reactionMessage: reaction } = content;
  if (protocolMessage) return changeOf(protocolMessage);
  if (reaction) {
    return one({ kind: 'reaction', emoji: reaction.text ?? '' }, reaction.key?.id);
  }
  return (
    textOf(content) ??
    locationOf(content) ??
    cardsOf(content) ??
    mediaOf(content, whole) ??
    lineOf(content)
  );
}

const { ProtocolMessage } = proto.Message;

/** An edit or deletion; skips other protocol notices, except the first opening of a chat. */
function changeOf({ type, key, editedMessage }: proto.Message.IProtocolMessage): Read | undefined {
  const of = key?.id ? wireIdIn(key.id) : undefined;
  switch (type) {
    case ProtocolMessage.Type.REVOKE:
      return of ? one({ kind: 'change', of }) : undefined;
    case ProtocolMessage.Type.MESSAGE_EDIT: {
      const text = wordsIn(normalizeMessageContent(editedMessage));
      return of ? one({ kind: 'change', of, text }) : undefined;
    }
    case ProtocolMessage.Type.REQUEST_WELCOME_MESSAGE:
      return one({ kind: 'other', other: 'request_welcome' });
    default:
      return undefined;
  }
}

function wordsIn(content: proto.IMessage | undefined): string {
  const read = content && textOf(content)?.contents[0];
  if (read?.kind === 'text') return read.text;
  const { imageMessage, videoMessage, documentMessage } = content ?? {};
  return imageMessage?.caption ?? videoMessage?.caption ?? documentMessage?.caption ?? '';
}

function textOf(message: proto.IMessage): Read | undefined {
  const { conversation, extendedTextMessage: extended, commentMessage: comment } = message;
  if (conversation) return one({ kind: 'text', text: conversation });
  if (comment) return one({ kind: 'text', text: wordsIn(comment.message ?? undefined) });
  const { buttonsResponseMessage: button, templateButtonReplyMessage: reply } = message;
  const { listResponseMessage: list, interactiveResponseMessage: answer } = message;
  const texts: readonly [string | null | undefined, proto.IContextInfo | null | undefined][] = [
    [extended?.text, extended?.contextInfo],
    [button?.selectedDisplayText, button?.contextInfo],
    [reply?.selectedDisplayText ?? reply?.selectedId, reply?.contextInfo],
    [list?.title || list?.singleSelectReply?.selectedRowId, list?.contextInfo],
    [answer?.body?.text, answer?.contextInfo],
  ];
  const found = texts.find(([text]) => text);
  return found && one({ kind: 'text', text: found[0] ?? '' }, found[1]?.stanzaId);
}

function locationOf(message: proto.IMessage): Read | undefined {
  const { locationMessage: fixed, liveLocationMessage: live } = message;
  const place = fixed ?? live;
  if (!place) return undefined;
  const name = live ? live.caption || 'Lokasi terkini' : fixed?.name;
  return one(
    {
      kind: 'location',
      latitude: place.degreesLatitude ?? NaN,
      longitude: place.degreesLongitude ?? NaN,
      ...(name && { name }),
      ...(fixed?.address && { address: fixed.address }),
    },
    place.contextInfo?.stanzaId,
  );
}

function cardsOf(message: proto.IMessage): Read | undefined {
  const { contactMessage: single, contactsArrayMessage: several } = message;
  const whole = single ?? several;
  if (!whole) return undefined;
  const cards = several ? (several.contacts ?? []).slice(0, CARDS_MAX) : [];
  return {
    contents: (cards.length > 0 ? cards : [whole]).map(cardOf),
    quotes: whole.contextInfo?.stanzaId,
  };
}

type CardMessage = { displayName?: string | null; vcard?: string | null };

function cardOf({ displayName, vcard }: CardMessage): ReceivedContent {
  const card = readCard(vcard ?? '');
  return { kind: 'contact', ...inboundCard({ ...card, name: displayName || card.name }) };
}

type AnyMedia = Parameters<typeof referenceOf>[1]['file'] & {
  caption?: string | null;
  fileName?: string | null;
  ptt?: boolean | null;
  contextInfo?: proto.IContextInfo | null;
};

function mediaOf(message: proto.IMessage, whole: WAMessage): Read | undefined {
  const kinds: readonly [MediaKind, AnyMedia | null | undefined][] = [
    ['image', message.imageMessage],
    ['video', message.videoMessage],
    // A video note, round on the phone.
    ['video', message.ptvMessage],
    ['audio', message.audioMessage],
    ['document', message.documentMessage],
    ['sticker', message.stickerMessage],
    ['sticker', message.lottieStickerMessage?.message?.stickerMessage],
  ];
  const found = kinds.find(([, media]) => media);
  if (!found) return undefined;
  const [media, file] = found;
  const { mimetype, caption, fileName, ptt, contextInfo } = file ?? {};
  return one(
    {
      kind: 'media',
      media,
      reference: referenceOf(whole, { kind: media, file: file ?? {} }),
      mime: (mimetype ?? '').split(';')[0]?.trim() ?? '',
      ...(caption && { caption }),
      ...(fileName && { filename: fileName }),
      ...(ptt === true && { voice: true }),
    },
    contextInfo?.stanzaId,
  );
}
