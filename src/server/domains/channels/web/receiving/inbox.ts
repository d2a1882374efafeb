import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import type { EngineReceipt, ReceivedMessage } from '#server/domains/channels/web/engine/engine.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { SealedColumn, Secrets } from '#server/infra/security/secrets.ts';

/** What came in and could not be stored. */
export type InboxItem =
  /** `messageId`: ours, of one that came with a file, so that it stands where it came in. */
  | { kind: 'message'; message: ReceivedMessage; messageId?: string }
  | { kind: 'receipt'; receipt: EngineReceipt };

type Deps = { allAccountsSql: Sql; secrets: Secrets };

/** A number that is not known within a day never is. */
const KEPT = '1 day';
const RETRY_MS_MAX = 60_000;
const ITEMS_AT_ONCE = 50;
/** After so long it is looked whether what is under way still is. */
export const UNDER_WAY_MS = 60_000;

const placeOf = ({ accountId, tokenId }: TokenRef, itemId: string) =>
  `web_inbox:${accountId}:${tokenId}:${itemId}`;

export const sealedInbox: SealedColumn = {
  table: 'web_inbox',
  column: 'item',
  key: ['account_id', 'token_id', 'item_id'],
  context: ({ account_id: accountId = '', token_id: tokenId = '', item_id: itemId = '' }) =>
    placeOf({ accountId, tokenId }, itemId),
};

const idOf = (item: InboxItem): string =>
  item.kind === 'message'
    ? `${item.message.content.kind === 'waiting' ? WAITING : MESSAGE}${item.message.wireId}`
    : `${item.receipt.status} ${item.receipt.wireId}`;

const MESSAGE = 'message ';
/** A message that could not be decrypted, until its sender's phone sends it again. */
const WAITING = 'waiting ';

/** An item that is not tried again is due after the day that items stay. */
const isSetAside = (sql: Sql) => sql`due_at > received_at + ${KEPT}::interval`;

/**
 * Stores an item, once.
 *
 * @param delayMs before it is tried for the first time.
 * @returns false when it was there.
 */
export async function addItem(
  { allAccountsSql, secrets }: Deps,
  token: TokenRef,
  item: InboxItem,
  delayMs = 0,
): Promise<boolean> {
  const itemId = idOf(item);
  const sealed = secrets.seal(JSON.stringify(item), placeOf(token, itemId));
  const stored = await allAccountsSql`
    insert into web_inbox (account_id, token_id, item_id, item, due_at)
    values (${token.accountId}, ${token.tokenId}, ${itemId}, ${sealed},
      clock_timestamp() + ${delayMs} * interval '1 millisecond')
    on conflict do nothing`;
  return stored.count > 0;
}

/** Whether a message itself still waits here, so that what changes it has to wait as well. */
export async function isMessageHeld(
  sql: Sql,
  { accountId, tokenId }: TokenRef,
  wireId: string,
): Promise<boolean> {
  const held = await sql`
    select from web_inbox where account_id = ${accountId} and token_id = ${tokenId}
      and item_id = ${MESSAGE + wireId}`;
  return held.length > 0;
}

/** The wire ids of the messages that could not be decrypted. `isShown`: a line stands for it in the thread. */
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

/** The message has come after all. */
export async function forgetWaiting(
  sql: Sql,
  { accountId, tokenId }: TokenRef,
  wireId: string,
): Promise<void> {
  await sql`
    delete from web_inbox where account_id = ${accountId} and token_id = ${tokenId}
      and item_id = ${WAITING + wireId}`;
}

/** The result of a try. `kept`: the item is not tried again, and stays for a day. `under_way`: not known yet. */
export type Outcome = 'done' | 'later' | 'kept' | 'under_way';

type Handle = (item: InboxItem, tries: number) => Promise<Outcome>;

/**
 * Tries what is due of a token again; what is done is forgotten, what is not waits twice as long. Messages that
 * could not be decrypted come last: anybody can make any number of them.
 */
export async function retryItems(deps: Deps, token: TokenRef, handle: Handle): Promise<void> {
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
  { allAccountsSql: sql, secrets }: Deps,
  token: TokenRef,
  { due, handle }: { due: Due; handle: Handle },
): Promise<void> {
  const { item_id: itemId, item: sealed, tries } = due;
  const plain = secrets.open(sealed, placeOf(token, itemId));
  const outcome =
    plain === undefined
      ? 'done'
      : await handle(JSON.parse(plain.toString('utf8')) as InboxItem, tries + 1);
  await settle(sql, { ...token, itemId }, outcome);
}

/** Writes down what became of a message that was tried by itself. */
export const settleMessage = (
  sql: Sql,
  token: TokenRef,
  { wireId, outcome }: { wireId: string; outcome: Outcome },
): Promise<void> => settle(sql, { ...token, itemId: MESSAGE + wireId }, outcome);

async function settle(
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
      ? sql`received_at + 2 * ${KEPT}::interval`
      : sql`clock_timestamp()
          + least(1000 * 2 ^ least(tries, 20), ${RETRY_MS_MAX}) * interval '1 millisecond'`;
  await sql`update web_inbox set tries = tries + 1, due_at = ${next} where ${mine}`;
}

/** What waits for a number that has become known is due at once. */
export async function wakeItems(sql: Sql, { accountId, tokenId }: TokenRef): Promise<void> {
  await sql`
    update web_inbox set due_at = clock_timestamp()
    where account_id = ${accountId} and token_id = ${tokenId}
      and due_at > clock_timestamp() and not ${isSetAside(sql)}`;
}

/** Forgets what was in vain for a day; for the clean-up job. */
export async function pruneWaiting(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`
    delete from web_inbox where received_at < clock_timestamp() - ${KEPT}::interval`;
}
