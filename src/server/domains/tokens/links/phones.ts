import { type ChannelName, type Token, unlinkToken } from '#contract/tokens.ts';
import { handle } from '#server/infra/acts.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import {
  readToken,
  type TokenPhone,
  type TokenRef,
  type TokenSubscribers,
} from '#server/domains/tokens/row.ts';
import { Refusal } from '#contract/base/refusals.ts';

type Deps = { sql: Sql; subscribers: TokenSubscribers };

export const unlinkTokenHandler = (deps: Deps) =>
  handle(unlinkToken, ({ caller }, input) => unlinkPhone(deps, caller.accountId, input.token_id));

/** Unlinks a token from its phone and ends its open links; a token without a phone stays as it is. */
export function unlinkPhone(
  { sql, subscribers }: Deps,
  accountId: string,
  tokenId: string,
): Promise<Token> {
  return asAccount(sql, accountId, async (tx) => {
    await readToken(tx, accountId, tokenId);
    const released = await releasePhone(tx, accountId, tokenId);
    if (released) await subscribers.tokenUnlinked(tx, released);
    await subscribers.tokenChanged(tx, { accountId, tokenId });
    return readToken(tx, accountId, tokenId);
  });
}

/**
 * Frees a token's phone for others and closes its open links. Locks links before tokens, as connecting
 * does, so that the two cannot deadlock.
 *
 * @returns the token with the phone that it had; undefined when it had none.
 */
export async function releasePhone(
  tx: Tx,
  accountId: string,
  tokenId: string,
): Promise<TokenPhone | undefined> {
  await closeLinks(tx, accountId, tokenId);
  const [before] = await tx<{ name: string; phone: string | null }[]>`
    select name, phone from tokens where account_id = ${accountId} and token_id = ${tokenId}
    for no key update`;
  await tx`delete from linked_phones where account_id = ${accountId} and token_id = ${tokenId}`;
  await tx`
    update tokens
    set phone = null, status = case when status = 'suspended' then status else 'unlinked' end
    where account_id = ${accountId} and token_id = ${tokenId}`;
  const phone = before?.phone ?? null;
  return before && phone !== null ? { accountId, tokenId, name: before.name, phone } : undefined;
}

/** Ends what links of a token are still open. */
export async function closeLinks(tx: Tx, accountId: string, tokenId: string): Promise<void> {
  await tx`
    update links set state = 'expired'
    where account_id = ${accountId} and token_id = ${tokenId} and state in ('waiting', 'scanned')`;
}

/**
 * The tokens of an account that is suspended send nothing and take nothing new, and its open links end; when it
 * goes on, so do they.
 *
 * @returns the tokens.
 */
export async function suspendTokens(
  tx: Tx,
  accountId: string,
  isSuspended: boolean,
): Promise<string[]> {
  if (isSuspended) {
    await tx`
      update links set state = 'expired'
      where account_id = ${accountId} and state in ('waiting', 'scanned')`;
  }
  const tokens = await tx<{ id: string }[]>`
    update tokens set account_suspended = ${isSuspended}
    where account_id = ${accountId} and deleted_at is null returning token_id as id`;
  return tokens.map(({ id }) => id);
}

/** A token that a phone is linked to. */
export type LinkedToken = {
  accountId: string;
  tokenId: string;
  tokenName: string;
  accountName: string;
};

/** Which token a phone is linked to, of whichever account. */
export async function holderOfPhone(
  allAccountsSql: Sql | Tx,
  channel: ChannelName,
  phone: string,
): Promise<TokenRef | undefined> {
  const [holder] = await allAccountsSql<TokenRef[]>`
    select account_id as "accountId", token_id as "tokenId" from linked_phones
    where channel = ${channel} and phone = ${phone}`;
  return holder;
}

/** The token a phone is linked to; undefined when there is none. */
export async function tokenOfPhone(
  allAccountsSql: Sql | Tx,
  channel: ChannelName,
  phone: string,
): Promise<LinkedToken | undefined> {
  const [token] = await allAccountsSql<LinkedToken[]>`
    select t.account_id as "accountId", t.token_id as "tokenId", t.name as "tokenName",
      a.name as "accountName"
    from linked_phones l
    join tokens t on t.account_id = l.account_id and t.token_id = l.token_id
    join accounts a on a.account_id = l.account_id
    where l.channel = ${channel} and l.phone = ${phone} and t.deleted_at is null`;
  return token;
}

/** The numbers that an account's tokens were ever linked to and that are nobody else's now. */
export async function pastPhonesOf(allAccountsSql: Sql, accountId: string): Promise<string[]> {
  const found = await allAccountsSql<{ phone: string }[]>`
    select phone from (
      select phone from links where account_id = ${accountId} and phone is not null
      union select phone from linked_phones where account_id = ${accountId}
    ) past
    where not exists (
      select from linked_phones l where l.phone = past.phone and l.account_id <> ${accountId}
    ) and not exists (
      select from user_phones u where u.phone = past.phone and u.account_id <> ${accountId}
    )`;
  return found.map(({ phone }) => phone);
}

/**
 * A token's number cannot send for now (`disconnected`), or can again (`linked`). What is queued waits meanwhile;
 * what is new is still taken. The number stays the token's own.
 *
 * @returns its name; undefined where nothing has changed: it has no number, or is not to send at all.
 */
export async function setPresence(
  tx: Tx,
  subscribers: TokenSubscribers,
  { accountId, tokenId, to }: TokenRef & { to: 'linked' | 'disconnected' },
): Promise<string | undefined> {
  const from = to === 'linked' ? 'disconnected' : 'linked';
  const [token] = await tx<{ name: string; phone: string }[]>`
    update tokens set status = ${to}
    where account_id = ${accountId} and token_id = ${tokenId} and status = ${from}
      and phone is not null and deleted_at is null
    returning name, phone`;
  if (!token) return undefined;
  const named = { accountId, tokenId, ...token };
  await (to === 'linked' ? subscribers.tokenLinked : subscribers.tokenUnlinked)(tx, named);
  await subscribers.tokenChanged(tx, named);
  return token.name;
}

type Numbered = TokenRef & { channel: ChannelName; phone: string };

/**
 * A number becomes a token's own, on the word of its network and not of a phone: nothing was scanned. Safe to
 * repeat. Another number than the token's last one takes its place.
 *
 * @throws Refusal `phone_taken` when it is another token's.
 */
export async function linkNumber(
  tx: Tx,
  subscribers: TokenSubscribers,
  { accountId, tokenId, channel, phone }: Numbered,
): Promise<void> {
  await tx`
    delete from linked_phones
    where account_id = ${accountId} and token_id = ${tokenId} and (channel, phone) <> (${channel}, ${phone})`;
  const [holder] = await tx<{ account_id: string; token_id: string }[]>`
    insert into linked_phones as l (channel, phone, account_id, token_id)
    values (${channel}, ${phone}, ${accountId}, ${tokenId})
    on conflict (channel, phone) do update set linked_at = l.linked_at
    returning account_id, token_id`;
  if (holder?.account_id !== accountId || holder.token_id !== tokenId)
    throw new Refusal('phone_taken', {});
  const [token] = await tx<{ name: string }[]>`
    update tokens set phone = ${phone},
      status = case when status = 'suspended' then status else 'linked' end
    where account_id = ${accountId} and token_id = ${tokenId} and deleted_at is null
      and channel = ${channel}
    returning name`;
  if (!token) throw new Refusal('not_found', { what: 'Token' });
  await subscribers.tokenLinked(tx, { accountId, tokenId, name: token.name, phone });
  await subscribers.tokenChanged(tx, { accountId, tokenId });
}
