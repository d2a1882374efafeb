import { PAGE_SIZE, type InputOf, type OutputOf } from '#contract/base/act.ts';
import {
  type Token,
  getToken,
  listTokens,
  deleteToken,
  rotateToken,
  updateToken,
} from '#contract/tokens.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import type { Config } from '#server/infra/config.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import type { NetworkQr } from './links/network-links.ts';
import { updateTokenAccessHandler } from './access.ts';
import { confirmTokenHandler, refuseCooling } from './cool-down.ts';
import { createTokenHandler } from './create.ts';
import { consentScanHandler, linkTokenHandler, getScanHandler } from './links/links.ts';
import { unlinkTokenHandler, releasePhone } from './links/phones.ts';
import { type MoveDeps, moveTokenHandler } from './move.ts';
import { readToken, readTokens, tokenNotFound } from './row.ts';
import { listRejectedCallsHandler } from './rejected.ts';
import type { TokenSubscribers } from './subscribers.ts';
import { formatNumber } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { makeKey } from './keys.ts';

export { type KeyRing, openKeyRing } from './keys.ts';
export {
  type ConnectDeps,
  connectLink,
  handleUndo,
  scanByNetwork,
  scanQr,
} from './links/connect.ts';
export { type NetworkLink, type NetworkQr, failLink, waitingLinks } from './links/network-links.ts';
export {
  type HeldToken,
  holderOfToken,
  tokenOfAccount,
  tokensOfAccount,
  tokensOfHint,
  tokensOfPhones,
} from './desk.ts';
export {
  pruneRejectedCalls,
  keptFacts,
  keptPath,
  type RejectionRecorder,
  openRejectionRecorder,
} from './rejected.ts';
export { shownAddress } from './access.ts';
export { countTokens } from './create.ts';
export { tokensAccountData } from './account-data.ts';
export {
  type NamedToken,
  hasLinkedToken,
  namedTokens,
  needsReview,
  readToken,
  requireToken,
} from './row.ts';
export { openApiTokens } from './api.ts';
export { createLink } from './links/links.ts';
export { pastPhonesOf, suspendTokens, tokenOfPhone, unlinkPhone } from './links/phones.ts';
export { linkNumber } from './links/numbers.ts';
export { setPresence } from './links/presence.ts';
export { type MoveDeps, moveTo, untilSettled } from './move.ts';
export { ensureSystemToken, systemTokenState, takesCodes } from './system.ts';
export type { TokenMove, TokenPhone, TokenRef, TokenSubscribers } from './subscribers.ts';

/** What the domain's acts need. */
export type TokensDeps = {
  sql: Sql;
  secrets: Secrets;
  subscribers: TokenSubscribers;
  config: Pick<Config, 'TOKEN_DAILY_LIMIT_MAX'>;
  /** The QR and code of links whose network makes them. */
  networkQr?: NetworkQr | undefined;
  /** How many tokens an account may have; undefined where nothing says so. */
  limitOf: (tx: Tx, accountId: string) => Promise<number | undefined>;
  now: () => Date;
} & MoveDeps;

/** The acts of tokens and of the links that connect them to phones. */
export const tokensActs = (deps: TokensDeps): readonly ActHandler[] => [
  listTokensHandler(deps),
  getTokenHandler(deps),
  createTokenHandler(deps),
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

/** The tokens of an account, the newest first, so many at most. @param sql sees the account. */
export async function tokensOf(sql: Sql | Tx, accountId: string, limit: number): Promise<Token[]> {
  const query = { by: 'created_at', descending: true, offset: 0, limit } as const;
  return (await readTokens(sql, accountId, query)).rows;
}

/**
 * Deletes expired pairing codes, and links without consent after 30 days; for the clean-up job. A link
 * with a consent stays: it is the record of the consent.
 */
export async function pruneLinks(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`delete from link_codes where expires_at < statement_timestamp()`;
  await allAccountsSql`
    delete from links
    where consent_at is null and expires_at < statement_timestamp() - interval '30 days'`;
}

type Deps = { sql: Sql; subscribers: TokenSubscribers };
type ChangeDeps = Deps & { config: Pick<Config, 'TOKEN_DAILY_LIMIT_MAX'> };

const updateTokenHandler = (deps: ChangeDeps) =>
  handle(updateToken, ({ caller }, input) => changeToken(deps, caller.accountId, input));

/**
 * Gives a token another name or daily limit; omitted fields stay.
 *
 * @throws Refusal `input_invalid` for a limit above what operators allow, unless it lowers the token's.
 */
function changeToken(
  { sql, subscribers, config: { TOKEN_DAILY_LIMIT_MAX: most } }: ChangeDeps,
  accountId: string,
  { token_id, name, daily_limit }: InputOf<typeof updateToken>,
): Promise<Token> {
  return asAccount(sql, accountId, async (tx) => {
    // What it has may stay, also when operators have lowered the highest since.
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

const rotateTokenHandler = (deps: Deps) =>
  handle(rotateToken, ({ caller }, input) => rotateKey(deps, caller.accountId, input.token_id));

/**
 * A new key for a token; every older key ends within 24 hours, or when it would have ended anyway.
 *
 * @throws Refusal `cooling_down` when the account gets no new key yet.
 */
export function rotateKey(
  { sql, subscribers }: Deps,
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

const deleteTokenHandler = (deps: Deps) =>
  handle(deleteToken, async ({ caller }, input) => {
    await removeToken(deps, caller.accountId, input.token_id);
    return {};
  });

/** Ends a token for good: its keys, its phone and its open links. Its messages stay to be read. */
export function removeToken(
  { sql, subscribers }: Deps,
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
