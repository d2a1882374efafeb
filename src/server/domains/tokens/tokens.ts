import { PAGE_SIZE } from '#contract/base/act.ts';
import { getToken, listTokens } from '#contract/tokens.ts';
import { type KeptAct, on } from '#server/infra/acts/act.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import { deleting, rotating, updating } from './change.ts';
import { keeping } from './cool-down.ts';
import { creating } from './create.ts';
import { consenting, linking, scanning } from './links/links.ts';
import { unlinking } from './links/phones.ts';
import { readToken, readTokens } from './row.ts';

export { type KeyRing, openKeyRing } from './keys/key-ring.ts';
export { type ConnectDeps, connectLink, hearUndo, scanQr } from './links/connect.ts';
export { tokensHolding } from './account-data.ts';
export { isDoubted } from './row.ts';
export { pastPhonesOf, tokenOfPhone } from './links/phones.ts';
export { ensureSystemToken } from './system.ts';

/** What the domain's acts need. */
export type TokensDeps = { sql: Sql; secrets: Secrets };

/** The acts of tokens and of the links that join them to phones. */
export const tokensActs = (deps: TokensDeps): readonly KeptAct[] => [
  listing(deps),
  getting(deps),
  creating(deps),
  updating(deps),
  rotating(deps),
  deleting(deps),
  keeping(deps),
  linking(deps),
  unlinking(deps),
  scanning(deps),
  consenting(deps),
];

/** Newest first unless sorted otherwise; a sort without a direction is ascending. */
const listing = ({ sql }: TokensDeps) =>
  on(listTokens, ({ caller }, { page = 0, sort_by, sort_type }) =>
    asAccount(sql, caller.accountId, (tx) =>
      readTokens(tx, caller.accountId, {
        by: sort_by ?? 'created_at',
        descending: sort_by === undefined ? true : sort_type === 'desc',
        offset: page * PAGE_SIZE,
        limit: PAGE_SIZE,
      }),
    ),
  );

const getting = ({ sql }: TokensDeps) =>
  on(getToken, ({ caller }, input) =>
    asAccount(sql, caller.accountId, (tx) => readToken(tx, caller.accountId, input.token_id)),
  );

/**
 * Erases pairing codes whose time is over, and links of which nothing came after 30 days; for the
 * house's tidying. A link that somebody agreed to stays: it is the record of the consent.
 */
export async function pruneLinks(house: Sql): Promise<void> {
  await house`delete from link_codes where expires_at < clock_timestamp()`;
  await house`
    delete from links
    where consent_at is null and expires_at < clock_timestamp() - interval '30 days'`;
}
