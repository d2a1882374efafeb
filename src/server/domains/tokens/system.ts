import type { ChannelName, TokenStatus } from '#contract/tokens.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import type { TokenSubscribers } from './subscribers.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';

/** The token that sends one-time codes and notices. */
type SystemToken = { accountId: string; tokenId: string; phone: string | null };

/** Above every cap on one-time codes: those are the limit, not this. */
const SYSTEM_DAILY_LIMIT = 10_000_000;

/**
 * The system account's token, made at the first start. It has no API key, so nobody can send with it
 * from outside. Processes that start at the same time create one.
 *
 * @param phone the number it is linked to when it is made; an existing token keeps its own.
 * @param subscribers react to the token being made, in the same transaction.
 * @throws Error when there is no system account yet, or the number belongs to somebody.
 */
export async function ensureSystemToken(
  allAccountsSql: Sql,
  phone: string,
  { tokenCreated }: Pick<TokenSubscribers, 'tokenCreated'>,
): Promise<SystemToken> {
  const [account] = await allAccountsSql<{ accountId: string }[]>`
    select account_id as "accountId" from accounts where is_system`;
  if (!account) throw new Error('the system token needs the system account first');
  const { accountId } = account;
  const ensure = async (tx: Tx): Promise<SystemToken> => {
    await tx`select from accounts where account_id = ${accountId} for no key update`;
    const [known] = await tx<SystemToken[]>`
      select account_id as "accountId", token_id as "tokenId", phone from tokens
      where account_id = ${accountId} and is_system and deleted_at is null`;
    if (known) return known;
    const tokenId = newId();
    await tx`
      insert into tokens (
        account_id, token_id, name, channel, status, phone, key_hint, daily_limit, is_system
      ) values (${accountId}, ${tokenId}, 'Kabari', 'simulator', 'linked', ${phone}, '',
        ${SYSTEM_DAILY_LIMIT}, true)`;
    await tokenCreated(tx, { accountId, tokenId });
    await tx`
      insert into linked_phones (channel, phone, account_id, token_id)
      values ('simulator', ${phone}, ${accountId}, ${tokenId})`;
    return { accountId, tokenId, phone };
  };
  return inAccount(accountId, () => allAccountsSql.begin(ensure));
}

/** The installation's own token as it stands. */
type SystemTokenState = Omit<SystemToken, 'phone'> & {
  status: TokenStatus;
  channel: ChannelName;
  phone: string | null;
  /** False: no code reaches anybody, so nobody registers or signs in from a new browser. */
  isConnected: boolean;
};

/**
 * How the installation's own token stands; for whoever watches over the installation, too.
 *
 * @throws Error before the first start has made it.
 */
export async function systemTokenState(allAccountsSql: Sql | Tx): Promise<SystemTokenState> {
  const [token] = await allAccountsSql<Omit<SystemTokenState, 'isConnected'>[]>`
    select t.account_id as "accountId", t.token_id as "tokenId", t.channel, t.phone, t.status
    from tokens t join accounts a using (account_id)
    where a.is_system and t.is_system and t.deleted_at is null`;
  if (!token) throw new Error('there is no system token yet');
  return { ...token, isConnected: token.status === 'linked' };
}

/**
 * Whether the installation's own token takes messages: also while its phone is away for a moment, which sends
 * them when it is back.
 *
 * @param isOffered whether a channel runs here. The first start links the token to a simulated phone: where those
 *   are off, nobody reads it.
 */
export async function takesCodes(
  allAccountsSql: Sql | Tx,
  isOffered: (channel: ChannelName) => boolean,
): Promise<boolean> {
  const { channel, status } = await systemTokenState(allAccountsSql);
  return isOffered(channel) && (status === 'linked' || status === 'disconnected');
}
