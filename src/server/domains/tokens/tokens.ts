import { PAGE_SIZE } from '#contract/base/act.ts';
import { type Token, getToken, listTokens } from '#contract/tokens.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { Config } from '#server/infra/config.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import type { NetworkQr } from './links/network-links.ts';
import { updateTokenAccessHandler } from './access/update.ts';
import { deleteTokenHandler, rotateTokenHandler, updateTokenHandler } from './change.ts';
import { confirmTokenHandler } from './cool-down.ts';
import { createTokenHandler } from './create.ts';
import { consentScanHandler, linkTokenHandler, getScanHandler } from './links/links.ts';
import { unlinkTokenHandler } from './links/phones.ts';
import { type MoveDeps, moveTokenHandler } from './move.ts';
import { readToken, readTokens } from './row.ts';
import { listRejectedCallsHandler } from './rejected/list.ts';
import type { TokenSubscribers } from './subscribers.ts';

export { type KeyRing, openKeyRing } from './keys/key-ring.ts';
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
} from './desk/tokens.ts';
export { pruneRejectedCalls } from './rejected/list.ts';
export { type RejectionRecorder, openRejectionRecorder } from './rejected/recorder.ts';
export { keptFacts, keptPath } from './rejected/facts.ts';
export { shownAddress } from './access/rules.ts';
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
