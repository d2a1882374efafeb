import { type ChannelName, type Token, unlinkToken } from '#contract/tokens.ts';
import { handle } from '#server/infra/acts.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import {
  readToken,
  type TokenPhone,
  type TokenRef,
  type TokenSubscribers,
  type TokensDeps,
} from '#server/domains/tokens/row.ts';
import { Refusal } from '#contract/base/refusals.ts';

export const unlinkTokenHandler = (deps: TokensDeps) =>
  handle(unlinkToken, ({ caller }, input) => unlinkPhone(deps, caller.accountId, input.token_id));

export function unlinkPhone(
  { sql, subscribers }: Pick<TokensDeps, 'sql' | 'subscribers'>,
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
 * Releases a token's phone and closes its open links. Locks links before tokens, as connecting does, to avoid
 * deadlocks.
 *
 * @returns the token with its former phone; undefined if it had none.
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

export async function closeLinks(tx: Tx, accountId: string, tokenId: string): Promise<void> {
  await tx`
    update links set state = 'expired'
    where account_id = ${accountId} and token_id = ${tokenId} and state in ('waiting', 'scanned')`;
}

/**
 * Suspends or resumes the tokens of an account: suspended ones send and accept nothing, and their open links end.
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

export type LinkedToken = {
  accountId: string;
  tokenId: string;
  tokenName: string;
  accountName: string;
};

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

/** Numbers that an account's tokens were ever linked to and that have no other owner now. */
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
 * Records that a token's number cannot send for now (`disconnected`), or can again (`linked`). Queued messages wait
 * meanwhile; new ones are still accepted. The number stays linked.
 *
 * @returns its name; undefined without a change: it has no number, or may not send at all.
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
 * Links a number to a token on behalf of its network, without a scan. Safe to repeat. Replaces the token's former
 * number.
 *
 * @throws Refusal `phone_taken` if it belongs to another token.
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
