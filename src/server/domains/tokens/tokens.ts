import { PAGE_SIZE, type InputOf, type OutputOf } from '#contract/base/act.ts';
import {
  type Token,
  getToken,
  listTokens,
  deleteToken,
  rotateToken,
  updateToken,
  type ChannelName,
  type TokenStatus,
} from '#contract/tokens.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import type { ApiHandlers, KeyHolder } from '#server/infra/endpoints.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import {
  consentScanHandler,
  linkTokenHandler,
  getScanHandler,
  type LinkDeps,
  startLink,
} from './links/links.ts';
import { updateTokenAccessHandler, confirmTokenHandler, refuseCooling } from './access.ts';
import { createTokenHandler, firstTokenHandler, refuseSuspended } from './create.ts';
import { unlinkTokenHandler, releasePhone } from './links/phones.ts';
import {
  readToken,
  readTokens,
  tokenNotFound,
  type TokensDeps,
  type TokenSubscribers,
  type TokenRef,
} from './row.ts';
import { listRejectedCallsHandler } from './rejected.ts';
import { formatNumber } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { makeKey } from './keys.ts';
import { publicId } from '#contract/base/ids.ts';
import { shownPeer } from '#contract/messages/peer.ts';
import type { Me } from '#contract/rest/account.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { moveToken } from '#contract/channels.ts';
import { newId } from '#server/infra/ids.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import {
  type AccountData,
  type AccountDataDeps,
  type Row,
  atOnce,
  eraseRows,
  inPages,
} from '#server/infra/account-data.ts';

type SystemToken = { accountId: string; tokenId: string; phone: string | null };

/** Above every cap on one-time codes, so that those are the effective limit. */
const SYSTEM_DAILY_LIMIT = 10_000_000;

/**
 * The system account's token, created at the first start. It has no API key, so that it cannot be used from outside.
 * Processes that start at the same time create one.
 *
 * @param phone the number it is linked to at its creation; an existing token keeps its own.
 * @param subscribers react to its creation, in the same transaction.
 * @throws Error without a system account, or if the number has an owner.
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

type SystemTokenState = Omit<SystemToken, 'phone'> & {
  status: TokenStatus;
  channel: ChannelName;
  phone: string | null;
  /** False: no code can be sent, so registration and signing in from a new browser are impossible. */
  isConnected: boolean;
};

/**
 * The state of the installation's own token, also for monitoring.
 *
 * @throws Error before the first start has created it.
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
 * Whether the installation's own token accepts messages: also while its phone is briefly away, which sends them when it
 * is back.
 *
 * @param isOffered whether a channel runs here. The first start links the token to a simulated phone, which is useless
 * if simulated phones are off.
 */
export async function takesCodes(
  allAccountsSql: Sql | Tx,
  isOffered: (channel: ChannelName) => boolean,
): Promise<boolean> {
  const { channel, status } = await systemTokenState(allAccountsSql);
  return isOffered(channel) && (status === 'linked' || status === 'disconnected');
}

const moveTokenHandler = (deps: TokensDeps) =>
  handle(moveToken, ({ caller }, { token_id: tokenId, channel }) =>
    moveToChannel(deps, { accountId: caller.accountId, tokenId }, channel),
  );

/**
 * Moves a token to another channel, without its number; a move to its own channel changes nothing.
 *
 * @throws Refusal `channel_off`, `channel_busy`, `channel_waiting`, `account_suspended`, `not_found`
 */
export function moveToChannel(
  { sql, subscribers, isOffered }: Pick<TokensDeps, 'sql' | 'subscribers' | 'isOffered'>,
  token: TokenRef,
  channel: ChannelName,
): Promise<Token> {
  const { accountId, tokenId } = token;
  return asAccount(sql, accountId, async (tx) => {
    await refuseSuspended(tx, accountId);
    const before = await readToken(tx, accountId, tokenId);
    if (before.channel === channel) return before;
    if (!isOffered(channel)) throw new Refusal('channel_off', {});
    const released = await releasePhone(tx, accountId, tokenId);
    // After its phone is released, no lane claims another message of it.
    await subscribers.tokenMoved(tx, { ...token, from: before.channel, to: channel });
    await tx`
      update tokens set channel = ${channel}, moved_at = clock_timestamp()
      where account_id = ${accountId} and token_id = ${tokenId}`;
    if (released) await subscribers.tokenUnlinked(tx, released);
    await subscribers.tokenChanged(tx, token);
    return readToken(tx, accountId, tokenId);
  });
}

/**
 * The longest time after a move in which a process may use the former channel: key holders are cached for a second, and
 * requests that hold one are accepted within the next few.
 */
const SETTLE_MS = 5_000;

/**
 * Waits until no process uses the former channel of a token. Only then may it have a number again: messages accepted at
 * the prices of the former channel would otherwise leave by the new one.
 */
export async function untilSettled(
  allAccountsSql: Sql,
  { accountId, tokenId }: TokenRef,
): Promise<void> {
  const [moved] = await allAccountsSql<{ ago_ms: number }[]>`
    select extract(epoch from clock_timestamp() - moved_at)::float8 * 1000 as ago_ms from tokens
    where account_id = ${accountId} and token_id = ${tokenId} and moved_at is not null`;
  if (moved && moved.ago_ms < SETTLE_MS) await pause(SETTLE_MS - moved.ago_ms);
}

const TOKENS_MAX = 50;

export async function tokensOfAccount(sql: Sql, accountId: string): Promise<Token[]> {
  const query = { by: 'created_at', descending: true, offset: 0, limit: TOKENS_MAX } as const;
  const { rows } = await asAccount(sql, accountId, (tx) => readTokens(tx, accountId, query));
  return rows;
}

/**
 * One token of an account, and since when its phone is linked.
 *
 * @throws Refusal `not_found` if the account has none with this id, or has deleted it.
 */
export function tokenOfAccount(
  sql: Sql,
  accountId: string,
  tokenId: string,
): Promise<Token & { linked_at: Date | null }> {
  return asAccount(sql, accountId, async (tx) => {
    const token = await readToken(tx, accountId, tokenId);
    const [linked] = await tx<{ at: Date }[]>`
      select linked_at as at from linked_phones
      where account_id = ${accountId} and token_id = ${tokenId}`;
    return { ...token, linked_at: linked?.at ?? null };
  });
}

export type HeldToken = { accountId: string; tokenId: string };

const FOUND_MAX = 100;

export const tokensOfHint = (sql: Sql, hint: string): Promise<readonly HeldToken[]> =>
  sql<HeldToken[]>`
    select account_id as "accountId", token_id as "tokenId" from tokens
    where key_hint = ${hint} and deleted_at is null and not is_system limit ${FOUND_MAX}`;

export const tokensOfPhones = (sql: Sql, digits: string): Promise<readonly HeldToken[]> =>
  sql<HeldToken[]>`
    select account_id as "accountId", token_id as "tokenId" from linked_phones
    where phone like ${`${digits}%`}::text limit ${FOUND_MAX}`;

export async function holderOfToken(sql: Sql, tokenId: string): Promise<string | undefined> {
  const [found] = await sql<{ id: string }[]>`
    select account_id as id from tokens where token_id = ${tokenId} and not is_system`;
  return found?.id;
}

/** The endpoints of a key's own token. */
export const tokenEndpoints = (deps: LinkDeps): ApiHandlers<'getMe' | 'startLink'> => ({
  getMe: ({ sender }) => readMe(deps, sender),
  startLink: ({ sender, agent }) => startLink(deps, sender, agent),
});

const readMe = ({ sql }: LinkDeps, { accountId, tokenId, simulated }: KeyHolder): Promise<Me> =>
  asAccount(sql, accountId, async (tx) => {
    const token = await readToken(tx, accountId, tokenId);
    const [account] = await tx<{ name: string }[]>`
      select name from accounts where account_id = ${accountId}`;
    return {
      account: { id: publicId('account', accountId), name: account?.name ?? '' },
      token: {
        id: token.id,
        name: token.name,
        status: token.status,
        phone: token.phone && shownPeer(token.phone),
        sent_today: token.sent_today,
        daily_limit: token.daily_limit,
        created_at: token.created_at,
      },
      scopes: [...token.access.scopes],
      simulated,
    };
  });

export { type KeyRing, openKeyRing } from './keys.ts';
export {
  type ConnectDeps,
  connectLink,
  handleUndo,
  scanByNetwork,
  scanQr,
} from './links/connect.ts';
export { type NetworkLink, failLink, waitingLinks, createLink } from './links/links.ts';
export {
  pruneRejectedCalls,
  storedFacts,
  storedPath,
  type RejectionRecorder,
  openRejectionRecorder,
} from './rejected.ts';
export { shownAddress } from './access.ts';
export { countTokens, hasHadToken } from './create.ts';
export {
  type NamedToken,
  type NetworkQr,
  type TokensDeps,
  hasLinkedToken,
  namedTokens,
  needsReview,
  readToken,
  requireToken,
  type TokenMove,
  type TokenPhone,
  type TokenRef,
  type TokenSubscribers,
} from './row.ts';
export {
  pastPhonesOf,
  suspendTokens,
  tokenOfPhone,
  unlinkPhone,
  setPresence,
  linkNumber,
} from './links/phones.ts';

export const tokensActs = (deps: TokensDeps): readonly ActHandler[] => [
  listTokensHandler(deps),
  getTokenHandler(deps),
  createTokenHandler(deps),
  firstTokenHandler(deps),
  updateTokenHandler(deps),
  updateTokenAccessHandler(deps),
  listRejectedCallsHandler(deps),
  rotateTokenHandler(deps),
  moveTokenHandler(deps),
  deleteTokenHandler(deps),
  confirmTokenHandler(deps),
  linkTokenHandler(deps),
  unlinkTokenHandler(deps),
  getScanHandler(deps),
  consentScanHandler(deps),
];

/** Newest first unless sorted otherwise; a sort without a direction is ascending. */
const listTokensHandler = ({ sql }: TokensDeps) =>
  handle(listTokens, ({ caller }, { page = 0, sort_by, sort_type }) =>
    asAccount(sql, caller.accountId, (tx) =>
      readTokens(tx, caller.accountId, {
        by: sort_by ?? 'created_at',
        descending: sort_by === undefined ? true : sort_type === 'desc',
        offset: page * PAGE_SIZE,
        limit: PAGE_SIZE,
      }),
    ),
  );

const getTokenHandler = ({ sql }: TokensDeps) =>
  handle(getToken, ({ caller }, input) =>
    asAccount(sql, caller.accountId, (tx) => readToken(tx, caller.accountId, input.token_id)),
  );

/** The newest tokens of an account. @param sql sees the account. */
export async function tokensOf(sql: Sql | Tx, accountId: string, limit: number): Promise<Token[]> {
  const query = { by: 'created_at', descending: true, offset: 0, limit } as const;
  return (await readTokens(sql, accountId, query)).rows;
}

/**
 * Deletes expired pairing codes, and links without consent after 30 days; run by the clean-up job. A link with a
 * consent stays as the record of the consent.
 */
export async function pruneLinks(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`delete from link_codes where expires_at < statement_timestamp()`;
  await allAccountsSql`
    delete from links
    where consent_at is null and expires_at < statement_timestamp() - interval '30 days'`;
}

const updateTokenHandler = (deps: TokensDeps) =>
  handle(updateToken, ({ caller }, input) => changeToken(deps, caller.accountId, input));

/**
 * Changes the name or daily limit of a token; omitted fields stay.
 *
 * @throws Refusal `input_invalid` for a limit above the operators' maximum, unless it lowers the token's.
 */
function changeToken(
  { sql, subscribers, config: { TOKEN_DAILY_LIMIT_MAX: most } }: TokensDeps,
  accountId: string,
  { token_id, name, daily_limit }: InputOf<typeof updateToken>,
): Promise<Token> {
  return asAccount(sql, accountId, async (tx) => {
    // Its present limit may stay, also if operators have lowered the maximum since.
    if (daily_limit !== undefined && daily_limit > most) {
      const { daily_limit: before } = await readToken(tx, accountId, token_id);
      if (daily_limit > before) {
        const sentence = `Paling banyak ${formatNumber(most)} pesan.`;
        throw new Refusal('input_invalid', { fields: { daily_limit: sentence } });
      }
    }
    const changed = await tx`
      update tokens
      set name = coalesce(${name ?? null}, name),
        daily_limit = coalesce(${daily_limit ?? null}, daily_limit)
      where account_id = ${accountId} and token_id = ${token_id} and deleted_at is null`;
    if (changed.count === 0) throw tokenNotFound();
    await subscribers.tokenChanged(tx, { accountId, tokenId: token_id });
    return readToken(tx, accountId, token_id);
  });
}

const rotateTokenHandler = (deps: TokensDeps) =>
  handle(rotateToken, ({ caller }, input) => rotateKey(deps, caller.accountId, input.token_id));

/**
 * A new key for a token; every older key ends within 24 hours, or at its earlier end.
 *
 * @throws Refusal `cooling_down` while the account gets no new key.
 */
export function rotateKey(
  { sql, subscribers }: Pick<TokensDeps, 'sql' | 'subscribers'>,
  accountId: string,
  tokenId: string,
): Promise<OutputOf<typeof rotateToken>> {
  return asAccount(sql, accountId, async (tx) => {
    const { channel } = await readToken(tx, accountId, tokenId);
    await refuseCooling(tx, accountId);
    const { key, hash, hint } = makeKey(channel);
    const changed = await tx`
      update tokens set key_hint = ${hint}
      where account_id = ${accountId} and token_id = ${tokenId} and deleted_at is null`;
    if (changed.count === 0) throw tokenNotFound();
    await tx`
      update token_keys
      set expires_at = least(expires_at, statement_timestamp() + interval '24 hours')
      where account_id = ${accountId} and token_id = ${tokenId} and revoked_at is null`;
    await tx`
      insert into token_keys (key_hash, account_id, token_id)
      values (${hash}, ${accountId}, ${tokenId})`;
    await subscribers.tokenChanged(tx, { accountId, tokenId });
    return { token: await readToken(tx, accountId, tokenId), key };
  });
}

const deleteTokenHandler = (deps: TokensDeps) =>
  handle(deleteToken, async ({ caller }, input) => {
    await removeToken(deps, caller.accountId, input.token_id);
    return {};
  });

/** Ends the keys, phone and open links of a token for good. Its messages remain readable. */
export function removeToken(
  { sql, subscribers }: Pick<TokensDeps, 'sql' | 'subscribers'>,
  accountId: string,
  tokenId: string,
): Promise<void> {
  return asAccount(sql, accountId, async (tx) => {
    const released = await releasePhone(tx, accountId, tokenId);
    if (released) await subscribers.tokenUnlinked(tx, released);
    const gone = await tx`
      update tokens set deleted_at = clock_timestamp()
      where account_id = ${accountId} and token_id = ${tokenId} and deleted_at is null`;
    if (gone.count === 0) throw tokenNotFound();
    await tx`
      update token_keys set revoked_at = statement_timestamp()
      where account_id = ${accountId} and token_id = ${tokenId} and revoked_at is null`;
    await subscribers.tokenDeleted(tx, { accountId, tokenId });
    await subscribers.tokenChanged(tx, { accountId, tokenId });
  });
}

/** An account's tokens with their links and counts; of keys only their existence. */
export const tokensAccountData = ({ sql, allAccountsSql }: AccountDataDeps): AccountData => ({
  subjects: (accountId) => [
    { name: 'token', rows: () => atOnce(() => tokenRowsOf(sql, accountId)) },
    { name: 'kunci-token', rows: () => atOnce(() => keysOf(allAccountsSql, accountId)) },
    { name: 'tautan', rows: () => linksOf(sql, accountId) },
    { name: 'panggilan-ditolak', rows: () => rejectedCallsOf(sql, accountId) },
    { name: 'nomor-tersambung', rows: () => atOnce(() => phonesOf(allAccountsSql, accountId)) },
  ],
  close: (accountId) => close(allAccountsSql, accountId),
  erase: ({ accountId }) => erase(allAccountsSql, accountId),
});

type Named = Row & { token_id: string };

const withId = ({ token_id, ...facts }: Named): Row => ({
  token: publicId('token', token_id),
  ...facts,
});

const tokenRowsOf = async (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(sql, accountId, async (tx) => {
    const found = await tx<Named[]>`
      select token_id, name, channel, status, phone, daily_limit, last_used_at, created_at,
        confirmed_since, deleted_at,
        scopes, allowed_addresses, expires_on::text as expires_on, key_in_address
      from tokens where account_id = ${accountId} order by token_id`;
    return found.map(withId);
  });

async function keysOf(allAccountsSql: Sql, accountId: string): Promise<Row[]> {
  const found = await allAccountsSql<Named[]>`
    select token_id, created_at, expires_at, revoked_at from token_keys
    where account_id = ${accountId} order by token_id, created_at`;
  return found.map(withId);
}

async function phonesOf(allAccountsSql: Sql, accountId: string): Promise<Row[]> {
  const found = await allAccountsSql<Named[]>`
    select token_id, channel, phone, linked_at from linked_phones
    where account_id = ${accountId} order by token_id`;
  return found.map(withId);
}

async function* linksOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  type Link = Named & { link_id: string };
  const links = inPages<Link>(
    { sql, accountId },
    (tx, last, limit) => tx<Link[]>`
      select link_id, token_id, state, phone, consent_at, consent_agent, created_at, expires_at
      from links
      where account_id = ${accountId} ${last ? tx`and link_id > ${last.link_id}` : tx``}
      order by link_id limit ${limit}`,
  );
  for await (const { link_id, ...facts } of links) {
    yield { id: publicId('link', link_id), ...withId(facts) };
  }
}

async function* rejectedCallsOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  type Call = Named & { hour: Date; fingerprint: string };
  const calls = inPages<Call>(
    { sql, accountId },
    (tx, last, limit) => tx<Call[]>`
      select token_id, hour, encode(fingerprint, 'hex') as fingerprint, dialect, method, path, code, status,
        address, facts, calls, first_at, last_at
      from rejected_calls
      where account_id = ${accountId}
        ${last ? tx`and (token_id, hour, fingerprint) > (${last.token_id}, ${last.hour}, decode(${last.fingerprint}, 'hex'))` : tx``}
      order by token_id, hour, fingerprint limit ${limit}`,
  );
  for await (const { hour: _, fingerprint: _f, ...facts } of calls) yield withId(facts);
}

/** Ends all tokens of a closed account: their keys, their phones and their open links. */
async function close(allAccountsSql: Sql, accountId: string): Promise<void> {
  await allAccountsSql.begin(async (tx) => {
    const tokens = await tx<{ id: string }[]>`
      select token_id as id from tokens where account_id = ${accountId} order by token_id`;
    for (const { id } of tokens) await releasePhone(tx, accountId, id);
    await tx`
      update tokens set deleted_at = clock_timestamp()
      where account_id = ${accountId} and deleted_at is null`;
    await tx`
      update token_keys set revoked_at = statement_timestamp()
      where account_id = ${accountId} and revoked_at is null`;
  });
}

async function erase(allAccountsSql: Sql, accountId: string): Promise<void> {
  for (const table of [
    'rejected_calls',
    'token_keys',
    'link_codes',
    'links',
    'linked_phones',
    'tokens',
  ] as const) {
    await eraseRows(allAccountsSql, table, accountId);
  }
}
