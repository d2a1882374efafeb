import type { Config } from '#server/infra/config.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import type { Scan } from '#contract/scan.ts';
import type { LinkRef } from './links/link-data.ts';
import { publicId } from '#contract/base/ids.ts';
import type { Scope, ChannelName, Token, TokenStatus } from '#contract/tokens.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import { identifier } from '#server/infra/postgres/sql.ts';

type TokenRow = {
  token_id: string;
  name: string;
  channel: ChannelName;
  status: TokenStatus;
  phone: string | null;
  key_hint: string;
  sent_today: number;
  daily_limit: number;
  last_used_at: Date | null;
  created_at: Date;
  review_since: Date | null;
  review_cause: NonNullable<Token['review']>['cause'] | null;
  scopes: Scope[];
  allowed_addresses: string[];
  expires_on: string | null;
  key_in_address: boolean;
};

/**
 * SQL that is true of a token `t` which its account `a` had at the start of its last cool-down, and has not confirmed
 * since.
 */
export const needsReview = (tx: Sql | Tx): Fragment => tx`
  (t.created_at <= a.cooling_since and t.confirmed_since is distinct from a.cooling_since)`;

/** SQL that is true of an account `a` that has a token with a linked phone. */
export const hasLinkedToken = (sql: Sql | Tx): Fragment => sql`
  a.account_id in (
    select t.account_id from tokens t
    where t.status in ('linked', 'disconnected') and t.deleted_at is null
  )`;

/** The columns of a token `t` of the account `a` for its owner. `linking` lasts as long as a link does. */
export const tokenColumns = (tx: Sql | Tx): Fragment => tx`
  t.token_id, t.name, t.channel, t.phone, t.key_hint, t.daily_limit, t.last_used_at, t.created_at,
  t.scopes, t.allowed_addresses, to_char(t.expires_on, 'YYYY-MM-DD') as expires_on,
  t.key_in_address,
  case
    when t.status = 'linking' and not exists (
      select from links l
      where l.account_id = t.account_id and l.token_id = t.token_id
        and (l.state = 'scanned' or (l.state = 'waiting' and l.expires_at > clock_timestamp()))
    ) then 'unlinked'
    else t.status
  end as status,
  case when ${needsReview(tx)} then a.cooling_since end as review_since,
  case when ${needsReview(tx)} then a.cooling_cause end as review_cause,
  coalesce((
    select l.accepted from lanes l
    where l.account_id = t.account_id and l.token_id = t.token_id
      and l.day = (clock_timestamp() at time zone 'Asia/Jakarta')::date
  ), 0) as sent_today`;

export const tokenFrom = (row: TokenRow): Token => ({
  id: publicId('token', row.token_id),
  name: row.name,
  channel: row.channel,
  status: row.status,
  phone: row.phone,
  key_hint: row.key_hint,
  sent_today: row.sent_today,
  daily_limit: row.daily_limit,
  last_used_at: row.last_used_at,
  created_at: row.created_at,
  review: reviewFrom(row),
  access: {
    scopes: row.scopes,
    addresses: row.allowed_addresses,
    expires_on: row.expires_on,
    key_in_address: row.key_in_address,
  },
});

const reviewFrom = ({ review_since: since, review_cause: cause }: TokenRow): Token['review'] =>
  since && cause && { since, cause };

/** @throws Refusal `not_found` if the account has none with this id, or has deleted it. */
export async function readToken(tx: Tx, accountId: string, tokenId: string): Promise<Token> {
  const [row] = await tx<TokenRow[]>`
    select ${tokenColumns(tx)} from tokens t join accounts a using (account_id)
    where t.account_id = ${accountId} and t.token_id = ${tokenId} and t.deleted_at is null`;
  if (!row) throw tokenNotFound();
  return tokenFrom(row);
}

type Column = 'name' | 'created_at' | 'last_used_at';

export async function readTokens(
  tx: Sql | Tx,
  accountId: string,
  query: { by: Column; descending: boolean; offset: number; limit: number },
): Promise<{ rows: Token[]; total: number }> {
  const direction = query.descending ? tx`desc` : tx`asc`;
  const found = tx<TokenRow[]>`
    select ${tokenColumns(tx)} from tokens t join accounts a using (account_id)
    where t.account_id = ${accountId} and t.deleted_at is null
    order by ${identifier(`t.${query.by}`)} ${direction} nulls last, t.token_id ${direction}
    limit ${query.limit} offset ${query.offset}`;
  const counted = tx<{ total: number }[]>`
    select count(*) as total from tokens
    where account_id = ${accountId} and deleted_at is null`;
  const [rows, [count]] = await Promise.all([found, counted]);
  return { rows: rows.map(tokenFrom), total: count?.total ?? 0 };
}

export const tokenNotFound = () => new Refusal('not_found', { what: 'Token' });

/**
 * Refuses a token that is not the account's own.
 *
 * @param alsoDeleted for past messages: those of a deleted token still exist.
 * @throws Refusal `not_found`
 */
export async function requireToken(
  sql: Sql | Tx,
  accountId: string,
  tokenId: string,
  { alsoDeleted = false } = {},
): Promise<void> {
  const found = await sql`
    select from tokens where account_id = ${accountId} and token_id = ${tokenId}
      and (${alsoDeleted}::boolean or deleted_at is null)`;
  if (found.length === 0) throw tokenNotFound();
}

export type NamedToken = Pick<Token, 'name' | 'channel' | 'status'> & {
  tokenId: string;
  isDeleted: boolean;
};

export async function namedTokens(
  sql: Sql | Tx,
  accountId: string,
  tokenIds: readonly string[],
): Promise<ReadonlyMap<string, NamedToken>> {
  const found = await sql<NamedToken[]>`
    select token_id as "tokenId", name, channel, status, deleted_at is not null as "isDeleted"
    from tokens where account_id = ${accountId} and token_id = any (${[...tokenIds]}::uuid[])`;
  return new Map(found.map((token) => [token.tokenId, token]));
}

export type TokenRef = { accountId: string; tokenId: string };

export type TokenPhone = TokenRef & { name: string; phone: string };

export type TokenMove = TokenRef & { from: ChannelName; to: ChannelName };

/** Reactions of other domains, in the transaction that changes a token. */
export type TokenSubscribers = {
  tokenCreated: (tx: Tx, token: TokenRef) => Promise<void>;
  tokenLinked: (tx: Tx, token: TokenPhone) => Promise<void>;
  tokenUnlinked: (tx: Tx, token: TokenPhone) => Promise<void>;
  /** A token without a phone moves to another channel. @throws Refusal while its messages prevent it. */
  tokenMoved: (tx: Tx, move: TokenMove) => Promise<void>;
  tokenDeleted: (tx: Tx, token: TokenRef) => Promise<void>;
  tokenChanged: (tx: Tx, token: TokenRef) => Promise<void>;
};

/**
 * The latest QR and pairing code of a link from its network; null if there are none. Provided by the network's channel,
 * which depends on tokens and not the reverse.
 */
export type NetworkQr = (tx: Tx, link: LinkRef) => Promise<Scan['qr']>;

export type TokensDeps = {
  sql: Sql;
  secrets: Secrets;
  subscribers: TokenSubscribers;
  config: Pick<Config, 'TOKEN_DAILY_LIMIT_MAX'>;
  /** The codes of links whose network creates them; undefined if there is no such network. */
  networkQr?: NetworkQr | undefined;
  limitOf: (tx: Tx, accountId: string) => Promise<number | undefined>;
  isOffered: (channel: ChannelName) => boolean;
  now: () => Date;
};
