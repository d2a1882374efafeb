import type { Sinks, Inbound, MessageBody, Receipt } from '#server/domains/channels/channels.ts';
import {
  RECEIVED,
  UNDECRYPTABLE,
  countAnswers,
  noteReceipts,
} from '#server/domains/channels/health.ts';
import type {
  EngineReceipt,
  EngineSocket,
  ReceivedMessage,
  ReceivedContent,
} from '#server/domains/channels/web/engine/engine.ts';
import { peerOfLid } from '#server/domains/channels/web/engine/baileys/addresses.ts';
import { hiddenChats, noteChats, renameChat } from '#server/domains/channels/web/sending/chats.ts';
import type { WebTimings } from '#server/domains/channels/web/sockets/timings.ts';
import type { Library } from '#server/domains/media/media.ts';
import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { isUnstorable } from '#server/infra/postgres/driver/errors.ts';
import type { Secrets, SealedColumn } from '#server/infra/security/secrets.ts';
import { newId, idOfText } from '#server/infra/ids.ts';
import { semaphore } from '#server/infra/semaphore.ts';
import { storable } from '#contract/base/text.ts';
import { otherContent, locationContent } from '#server/domains/channels/other-content.ts';
import { takeInbound } from '#server/domains/channels/inbound-file.ts';
import { failureOf } from '#server/domains/channels/web/sending/refusals.ts';
import {
  messageIdsOf,
  noteAcknowledged,
} from '#server/domains/channels/web/sending/sent-storage.ts';

type Deps = {
  allAccountsSql: Sql;
  secrets: Secrets;
  library: Pick<Library, 'take'>;
  sinks: () => Sinks;
  timings: WebTimings;
  report: (error: unknown) => void;
};

type Facts = {
  socket: () => EngineSocket | undefined;
  /** Messages older than the session do not belong to it. */
  linkedAt: Date;
  lastSeenAt: Date | undefined;
};

const FILES_AT_ONCE = 3;
const FILES_WAITING_MAX = 1_000;

type MessageItem = Extract<InboxItem, { kind: 'message' }>;

const isWithFile = ({ fromMe, content }: ReceivedMessage): boolean =>
  content.kind === 'media' && !fromMe;

/** Messages may have been missed from this long before the number was last seen. */
const REPLAY_MS = 24 * 3_600_000;

/**
 * Delivers inbound messages, or stores them until it can. The network considers a message received once it has sent it,
 * so no failure of ours may drop one.
 */
export class Receiving {
  readonly #deps: Deps;
  readonly #token: TokenRef;
  readonly #facts: Facts;
  readonly #replayFromMs: number;
  readonly #numbers = new Map<string, string>();
  #received = 0;
  /** Chats with a hidden number; read from the database once. */
  #hidden: Set<string> | undefined;
  /** Messages that could not be decrypted; read from the database once. */
  #waiting: ReturnType<typeof waitingMessages> | undefined;
  readonly #fileTurn = semaphore(FILES_AT_ONCE, FILES_WAITING_MAX);
  readonly #fetching = new Map<string, Promise<void>>();
  readonly #retrying: NodeJS.Timeout;
  #retry: Promise<void> = Promise.resolve();
  #isRetrying = false;
  #isClosed = false;

  constructor(deps: Deps, { accountId, tokenId }: TokenRef, facts: Facts) {
    this.#deps = deps;
    this.#token = { accountId, tokenId };
    this.#facts = facts;
    const seenMs = facts.lastSeenAt?.getTime() ?? 0;
    this.#replayFromMs = Math.max(facts.linkedAt.getTime(), seenMs - REPLAY_MS);
    this.#retrying = setInterval(() => {
      this.#retryDue();
      void this.#countReceived();
    }, deps.timings.inboxMs);
  }

  opened(): void {
    this.#retryDue();
  }

  async messages({
    isLive,
    messages,
  }: {
    isLive: boolean;
    messages: readonly ReceivedMessage[];
  }): Promise<void> {
    const isHistory = ({ atMs }: ReceivedMessage) => !isLive && atMs < this.#replayFromMs;
    // History only shows that there are chats.
    const past = new Set(messages.filter(isHistory).flatMap(({ phone }) => phone ?? []));
    if (past.size > 0) {
      await noteChats(this.#deps.allAccountsSql, this.#token, [...past]).catch(this.#deps.report);
    }
    for (const message of messages) {
      if (isHistory(message)) continue;
      if (message.content.kind === 'waiting') await this.#hold(message).catch(this.#deps.report);
      else await this.#take(message);
    }
  }

  async receipts(receipts: readonly EngineReceipt[]): Promise<void> {
    const { allAccountsSql, report } = this.#deps;
    const deps = { allAccountsSql, sinks: this.#deps.sinks() };
    const unstored = await receiveReceipts(deps, this.#token, receipts).catch((error: unknown) => {
      report(error);
      return receipts;
    });
    for (const receipt of unstored) await this.#store({ kind: 'receipt', receipt });
    if (unstored.length < receipts.length) {
      await noteReceipts(allAccountsSql, [this.#token], new Date());
    }
  }

  async numbers(numbers: readonly { lid: string; phone: string }[]): Promise<void> {
    for (const { lid, phone } of numbers) this.#numbers.set(lid, phone);
    for (const { lid, phone } of numbers) await this.#identify(lid, phone);
    await wakeItems(this.#deps.allAccountsSql, this.#token);
    this.#retryDue();
  }

  async #identify(lid: string, peer: string): Promise<void> {
    const { allAccountsSql } = this.#deps;
    this.#hidden ??= new Set(await hiddenChats(allAccountsSql, this.#token));
    const hidden = peerOfLid(lid);
    if (!this.#hidden.has(hidden)) return;
    await this.#deps.sinks().identified({ ...this.#token, hidden, peer });
    await renameChat(allAccountsSql, this.#token, { hidden, peer });
    this.#hidden.delete(hidden);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#retrying);
    await this.#retry;
    await Promise.all(this.#fetching.values());
    await this.#countReceived();
  }

  async #take(message: ReceivedMessage): Promise<void> {
    const { lid, phone } = message;
    if (lid && phone) await this.#identify(lid, phone).catch(this.#deps.report);
    else if (lid && !this.#numbers.has(lid)) this.#hidden?.add(peerOfLid(lid));
    if (isWithFile(message)) await this.#takeWithFile(message);
    else await this.#takeItem({ kind: 'message', message });
    const { content, fromMe } = message;
    if (!fromMe) this.#received += 1;
    if (content.kind === 'other' && !fromMe) await this.#count(`inbound_${content.other}`);
    await this.#came(message).catch(this.#deps.report);
  }

  async #takeItem(item: InboxItem): Promise<void> {
    if ((await this.#handle(item, 0)) === 'later') await this.#store(item);
  }

  /** Stores the message, and delivers it once its file is there, so that others do not wait. */
  async #takeWithFile(message: ReceivedMessage): Promise<void> {
    const item: MessageItem = { kind: 'message', message, messageId: newId() };
    if (await this.#store(item, UNDER_WAY_MS)) this.#fetch(item, 0);
  }

  #fetch(item: MessageItem, tries: number) {
    const { allAccountsSql, report } = this.#deps;
    const { wireId } = item.message;
    if (this.#fetching.has(wireId)) return;
    const run = this.#fileTurn(async () => {
      if (this.#isClosed) return;
      const outcome = await this.#handle(item, tries);
      await completeMessage(allAccountsSql, this.#token, { wireId, outcome });
    })
      .catch(report)
      .finally(() => this.#fetching.delete(wireId));
    this.#fetching.set(wireId, run);
  }

  async #tryAgain(item: InboxItem, tries: number): Promise<Outcome> {
    if (item.kind !== 'message' || !isWithFile(item.message)) return this.#handle(item, tries);
    this.#fetch(item, tries);
    return 'under_way';
  }

  /** Most messages that cannot be decrypted come again within seconds: only then show a line. */
  async #hold(message: ReceivedMessage): Promise<void> {
    if (message.fromMe) return;
    const isNew = await this.#store({ kind: 'message', message }, this.#deps.timings.waitingMs);
    if (!isNew) return;
    await this.#count(UNDECRYPTABLE);
    const waiting = await this.#waitingMessages();
    waiting.set(message.wireId, { isShown: false });
  }

  async #came(message: ReceivedMessage): Promise<void> {
    const waiting = await this.#waitingMessages();
    const held = waiting.get(message.wireId);
    if (!held) return;
    await forgetWaiting(this.#deps.allAccountsSql, this.#token, message.wireId);
    waiting.delete(message.wireId);
    if (held.isShown) await endWaiting(this.#receiveDeps(0), this.#token, message);
  }

  #waitingMessages(): ReturnType<typeof waitingMessages> {
    this.#waiting ??= waitingMessages(this.#deps.allAccountsSql, this.#token).catch(
      (error: unknown) => {
        this.#waiting = undefined;
        throw error;
      },
    );
    return this.#waiting;
  }

  async #countReceived(): Promise<void> {
    const received = this.#received;
    if (received === 0) return;
    this.#received = 0;
    const answer = { ...this.#token, channel: 'web' as const, code: RECEIVED };
    const answers = Array.from({ length: received }, () => answer);
    await countAnswers(this.#deps.allAccountsSql, answers, new Date()).catch((error: unknown) => {
      this.#received += received;
      this.#deps.report(error);
    });
  }

  async #count(code: string): Promise<void> {
    const { allAccountsSql, report } = this.#deps;
    const answer = { ...this.#token, channel: 'web' as const, code };
    await countAnswers(allAccountsSql, [answer], new Date()).catch(report);
  }

  #receiveDeps(tries: number) {
    const { allAccountsSql, library } = this.#deps;
    const phoneOf = (lid: string) => this.#numbers.get(lid);
    const { socket } = this.#facts;
    return { allAccountsSql, sinks: this.#deps.sinks(), library, socket, phoneOf, tries };
  }

  async #handle(item: InboxItem, tries: number): Promise<Outcome> {
    const { report } = this.#deps;
    const deps = this.#receiveDeps(tries);
    try {
      if (item.kind === 'message') {
        const isDone = await receiveMessage(deps, this.#token, item);
        if (item.message.content.kind !== 'waiting') return isDone ? 'done' : 'later';
        // Its line is shown now; the item stays until the message comes, or for a day.
        const held = (await this.#waitingMessages()).get(item.message.wireId);
        if (held) held.isShown = true;
        return 'kept';
      }
      const unstored = await receiveReceipts(deps, this.#token, [item.receipt]);
      return unstored.length === 0 ? 'done' : 'later';
    } catch (error) {
      report(error);
      return 'later';
    }
  }

  /**
   * Stores an item; retries until the worker closes.
   *
   * @returns false if it exists already, or can never be stored
   */
  async #store(item: InboxItem, delayMs = 0): Promise<boolean> {
    const { allAccountsSql, secrets, report, timings } = this.#deps;
    for (;;) {
      try {
        return await addItem({ allAccountsSql, secrets }, this.#token, item, delayMs);
      } catch (error) {
        report(error);
        if (this.#isClosed || isUnstorable(error)) return false;
        await new Promise((resolve) => setTimeout(resolve, timings.inboxMs));
      }
    }
  }

  #retryDue() {
    if (this.#isRetrying || this.#isClosed) return;
    this.#isRetrying = true;
    const { allAccountsSql, secrets, report } = this.#deps;
    this.#retry = retryItems({ allAccountsSql, secrets }, this.#token, (item, tries) =>
      this.#tryAgain(item, tries),
    )
      .catch(report)
      .finally(() => {
        this.#isRetrying = false;
      });
  }
}

type ReceiveDeps = {
  allAccountsSql: Sql;
  sinks: Sinks;
  library: Pick<Library, 'take'>;
  /** Undefined if another worker may hold the number by now. */
  socket: () => EngineSocket | undefined;
  phoneOf: (lid: string) => string | undefined;
  tries: number;
};

const DOWNLOADS_MAX = 4;

/**
 * Delivers a message. Idempotent by its id.
 *
 * @returns false if it changes an earlier message that is not stored yet
 * @throws temporary errors: to be tried again
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
  const { type, body, changes } = await receivedBodyOf(deps, token, message);
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

function peerOf({ phoneOf }: ReceiveDeps, { phone, lid }: ReceivedMessage): string | undefined {
  return phone ?? (lid && (phoneOf(lid) ?? peerOfLid(lid)));
}

/** Id of the line of an undecrypted message; the message itself may come under its own. */
const waitingId = (wireId: string): string => `${wireId}#waiting`;

async function endWaiting(
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

async function receivedBodyOf(
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
      return locationContent(place);
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
    declared: { name: filename ?? '', type: mime },
    bytes: Buffer.from(bytes),
    // Always the same, so that a repeated message has one file.
    fileId: idOfText(`web file:${token.tokenId}:${wireId}`),
  });
  return { ...taken, ...words };
}

/** Delivers receipts of our messages. @returns those that could not be stored */
async function receiveReceipts(
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

export type InboxItem =
  /** `messageId`: our id of a message with a file, so that it keeps its place of arrival. */
  | { kind: 'message'; message: ReceivedMessage; messageId?: string }
  | { kind: 'receipt'; receipt: EngineReceipt };

type InboxDeps = { allAccountsSql: Sql; secrets: Secrets };

/** A number that is not known within a day never becomes known. */
const RETENTION = '1 day';
const RETRY_MS_MAX = 60_000;
const ITEMS_AT_ONCE = 50;
const UNDER_WAY_MS = 60_000;

const contextOf = ({ accountId, tokenId }: TokenRef, itemId: string) =>
  `web_inbox:${accountId}:${tokenId}:${itemId}`;

export const sealedInbox: SealedColumn = {
  table: 'web_inbox',
  column: 'item',
  key: ['account_id', 'token_id', 'item_id'],
  context: ({ account_id: accountId = '', token_id: tokenId = '', item_id: itemId = '' }) =>
    contextOf({ accountId, tokenId }, itemId),
};

const idOf = (item: InboxItem): string =>
  item.kind === 'message'
    ? `${item.message.content.kind === 'waiting' ? WAITING : MESSAGE}${item.message.wireId}`
    : `${item.receipt.status} ${item.receipt.wireId}`;

const MESSAGE = 'message ';
/** Item id prefix of an undecrypted message, until its sender's phone sends it again. */
const WAITING = 'waiting ';

/** An item that is not tried again is due after the day that items stay. */
const isSetAside = (sql: Sql) => sql`due_at > received_at + ${RETENTION}::interval`;

/**
 * Stores an item, once.
 *
 * @param delayMs delay before its first try
 * @returns false if it exists already
 */
export async function addItem(
  { allAccountsSql, secrets }: InboxDeps,
  token: TokenRef,
  item: InboxItem,
  delayMs = 0,
): Promise<boolean> {
  const itemId = idOf(item);
  const sealed = secrets.seal(JSON.stringify(item), contextOf(token, itemId));
  const stored = await allAccountsSql`
    insert into web_inbox (account_id, token_id, item_id, item, due_at)
    values (${token.accountId}, ${token.tokenId}, ${itemId}, ${sealed},
      clock_timestamp() + ${delayMs} * interval '1 millisecond')
    on conflict do nothing`;
  return stored.count > 0;
}

async function isMessageHeld(
  sql: Sql,
  { accountId, tokenId }: TokenRef,
  wireId: string,
): Promise<boolean> {
  const held = await sql`
    select from web_inbox where account_id = ${accountId} and token_id = ${tokenId}
      and item_id = ${MESSAGE + wireId}`;
  return held.length > 0;
}

/** Wire ids of undecrypted messages. `isShown`: the thread shows a line for it. */
export async function waitingMessages(
  sql: Sql,
  { accountId, tokenId }: TokenRef,
): Promise<Map<string, { isShown: boolean }>> {
  const found = await sql<{ item_id: string; isShown: boolean }[]>`
    select item_id, ${isSetAside(sql)} as "isShown" from web_inbox
    where account_id = ${accountId} and token_id = ${tokenId}
      and starts_with(item_id, ${WAITING})`;
  return new Map(found.map(({ item_id: id, isShown }) => [id.slice(WAITING.length), { isShown }]));
}

async function forgetWaiting(
  sql: Sql,
  { accountId, tokenId }: TokenRef,
  wireId: string,
): Promise<void> {
  await sql`
    delete from web_inbox where account_id = ${accountId} and token_id = ${tokenId}
      and item_id = ${WAITING + wireId}`;
}

/** Result of a try. `kept`: not tried again, stays for a day. `under_way`: not known yet. */
type Outcome = 'done' | 'later' | 'kept' | 'under_way';

type Handle = (item: InboxItem, tries: number) => Promise<Outcome>;

/**
 * Retries due items: finished ones are deleted, others wait twice as long. Undecrypted messages come last, because a
 * sender can make any number of them.
 */
export async function retryItems(deps: InboxDeps, token: TokenRef, handle: Handle): Promise<void> {
  for (const isWaiting of [false, true]) {
    for (const due of await dueItems(deps.allAccountsSql, token, isWaiting)) {
      await retryItem(deps, token, { due, handle });
    }
  }
}

type Due = { item_id: string; item: Buffer; tries: number };

const dueItems = (sql: Sql, { accountId, tokenId }: TokenRef, isWaiting: boolean) =>
  sql<Due[]>`
    select item_id, item, tries from web_inbox
    where account_id = ${accountId} and token_id = ${tokenId} and due_at <= clock_timestamp()
      and starts_with(item_id, ${WAITING}) = ${isWaiting}
    order by received_at, item_id limit ${ITEMS_AT_ONCE}`;

async function retryItem(
  { allAccountsSql: sql, secrets }: InboxDeps,
  token: TokenRef,
  { due, handle }: { due: Due; handle: Handle },
): Promise<void> {
  const { item_id: itemId, item: sealed, tries } = due;
  const plain = secrets.open(sealed, contextOf(token, itemId));
  const outcome =
    plain === undefined
      ? 'done'
      : await handle(JSON.parse(plain.toString('utf8')) as InboxItem, tries + 1);
  await completeItem(sql, { ...token, itemId }, outcome);
}

const completeMessage = (
  sql: Sql,
  token: TokenRef,
  { wireId, outcome }: { wireId: string; outcome: Outcome },
): Promise<void> => completeItem(sql, { ...token, itemId: MESSAGE + wireId }, outcome);

async function completeItem(
  sql: Sql,
  { accountId, tokenId, itemId }: TokenRef & { itemId: string },
  outcome: Outcome,
): Promise<void> {
  const mine = sql`account_id = ${accountId} and token_id = ${tokenId} and item_id = ${itemId}`;
  if (outcome === 'done') {
    await sql`delete from web_inbox where ${mine}`;
    return;
  }
  if (outcome === 'under_way') {
    const after = sql`clock_timestamp() + ${UNDER_WAY_MS} * interval '1 millisecond'`;
    await sql`update web_inbox set due_at = ${after} where ${mine}`;
    return;
  }
  const next =
    outcome === 'kept'
      ? sql`received_at + 2 * ${RETENTION}::interval`
      : sql`clock_timestamp()
          + least(1000 * 2 ^ least(tries, 20), ${RETRY_MS_MAX}) * interval '1 millisecond'`;
  await sql`update web_inbox set tries = tries + 1, due_at = ${next} where ${mine}`;
}

/** Makes items that wait for a newly known number due at once. */
export async function wakeItems(sql: Sql, { accountId, tokenId }: TokenRef): Promise<void> {
  await sql`
    update web_inbox set due_at = clock_timestamp()
    where account_id = ${accountId} and token_id = ${tokenId}
      and due_at > clock_timestamp() and not ${isSetAside(sql)}`;
}

/** Deletes items after a day in vain; for the clean-up job. */
export async function pruneWaiting(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`
    delete from web_inbox where received_at < clock_timestamp() - ${RETENTION}::interval`;
}
