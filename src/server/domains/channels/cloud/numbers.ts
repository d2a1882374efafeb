import { randomBytes } from 'node:crypto';
import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import type { SealedColumn, Secrets } from '#server/infra/security/secrets.ts';

/** A Cloud API number with its access. The secrets are never logged. */
export type CloudNumber = TokenRef & {
  phoneNumberId: string;
  wabaId: string;
  accessToken: string;
  appSecret: string;
  callbackKey: string;
  verifyToken: string;
  phone: string;
};

type Stored = TokenRef & {
  phoneNumberId: string;
  wabaId: string;
  access_token: Buffer;
  app_secret: Buffer;
  callbackKey: string;
  verify_token: Buffer;
  phone: string;
};

export type NumbersDeps = { allAccountsSql: Sql; secrets: Secrets };

export type CloudAccess = {
  phoneNumberId: string;
  wabaId: string;
  accessToken: string;
  appSecret: string;
};

/** Context that a value is sealed for; it opens in no other. */
const context = (tokenId: string, what: 'access-token' | 'app-secret' | 'verify-token') =>
  `cloud-number:${tokenId}:${what}`;

const sealedValue = (column: string, what: Parameters<typeof context>[1]): SealedColumn => ({
  table: 'cloud_numbers',
  column,
  key: ['account_id', 'token_id'],
  context: ({ token_id = '' }) => context(token_id, what),
});

export const sealedNumbers: readonly SealedColumn[] = [
  sealedValue('access_token', 'access-token'),
  sealedValue('app_secret', 'app-secret'),
  sealedValue('verify_token', 'verify-token'),
];

/** Numbers that their tokens still send from: not those unlinked, deleted or moved. */
const select = (sql: Sql | Tx) => sql`
  select n.account_id as "accountId", n.token_id as "tokenId",
    n.phone_number_id as "phoneNumberId", n.waba_id as "wabaId", n.access_token, n.app_secret,
    n.callback_key as "callbackKey", n.verify_token, t.phone
  from cloud_numbers n
  join tokens t on t.account_id = n.account_id and t.token_id = n.token_id
    and t.channel = 'cloud' and t.phone is not null and t.deleted_at is null`;

/** @throws Error if the installation's key is not the one that sealed it */
function opened({ secrets }: NumbersDeps, stored: Stored): CloudNumber {
  const { access_token, app_secret, verify_token, ...number } = stored;
  const open = (sealed: Buffer, what: Parameters<typeof context>[1]) => {
    const plain = secrets.open(sealed, context(stored.tokenId, what));
    if (!plain) throw new Error('a number of the Cloud API is sealed under another SECRET_KEY');
    return plain.toString('utf8');
  };
  return {
    ...number,
    accessToken: open(access_token, 'access-token'),
    appSecret: open(app_secret, 'app-secret'),
    verifyToken: open(verify_token, 'verify-token'),
  };
}

export async function numberOf(
  deps: NumbersDeps,
  { accountId, tokenId }: TokenRef,
): Promise<CloudNumber | undefined> {
  const { allAccountsSql: sql } = deps;
  const [stored] = await sql<Stored[]>`
    ${select(sql)} where n.account_id = ${accountId} and n.token_id = ${tokenId}`;
  return stored && opened(deps, stored);
}

export async function numberOfCallback(
  deps: NumbersDeps,
  callbackKey: string,
): Promise<CloudNumber | undefined> {
  const { allAccountsSql: sql } = deps;
  const [stored] = await sql<Stored[]>`
    ${select(sql)} where n.callback_key = ${callbackKey}`;
  return stored && opened(deps, stored);
}

/** The numbers of an account: one Meta app may call back for several. */
export async function numbersOfAccount(
  deps: NumbersDeps,
  accountId: string,
): Promise<CloudNumber[]> {
  const { allAccountsSql: sql } = deps;
  const found = await sql<Stored[]>`
    ${select(sql)} where n.account_id = ${accountId} order by n.token_id`;
  return found.map((stored) => opened(deps, stored));
}

/**
 * Stores a token's number, sealed. The callback address and its verify token stay when the number is entered again.
 *
 * @returns false if the number belongs to another token
 */
export async function storeNumber(
  tx: Tx,
  { secrets }: Pick<NumbersDeps, 'secrets'>,
  {
    accountId,
    tokenId,
    phoneNumberId,
    wabaId,
    accessToken,
    appSecret,
    name,
    quality,
  }: TokenRef & CloudAccess & { name: string | undefined; quality: string | undefined },
): Promise<boolean> {
  const callbackKey = randomBytes(24).toString('base64url');
  const verifyToken = randomBytes(24).toString('base64url');
  const seal = (plain: string, what: Parameters<typeof context>[1]) =>
    secrets.seal(plain, context(tokenId, what));
  const [taken] = await tx`
    select 1 from cloud_numbers
    where phone_number_id = ${phoneNumberId} and (account_id, token_id) <> (${accountId}, ${tokenId})`;
  if (taken) return false;
  const stored = await tx`
    insert into cloud_numbers (
      account_id, token_id, phone_number_id, waba_id, access_token, app_secret, callback_key,
      verify_token, verified_name, quality, checked_at
    ) values (
      ${accountId}, ${tokenId}, ${phoneNumberId}, ${wabaId}, ${seal(accessToken, 'access-token')},
      ${seal(appSecret, 'app-secret')}, ${callbackKey}, ${seal(verifyToken, 'verify-token')},
      ${name ?? null}, ${quality ?? null}, clock_timestamp()
    )
    on conflict (account_id, token_id) do update set
      phone_number_id = excluded.phone_number_id, waba_id = excluded.waba_id,
      access_token = excluded.access_token, app_secret = excluded.app_secret,
      verified_name = excluded.verified_name, quality = excluded.quality,
      checked_at = excluded.checked_at, check_failure = null, connected_at = excluded.connected_at
    returning 1`;
  return stored.length > 0;
}

/** Deletes numbers that their tokens no longer send from, with secrets and files. */
export async function forgetNumbers(allAccountsSql: Sql): Promise<void> {
  const unused = await allAccountsSql<(TokenRef & { connectedAt: string })[]>`
    select n.account_id as "accountId", n.token_id as "tokenId", n.connected_at::text as "connectedAt"
    from cloud_numbers n left join tokens t
      on t.account_id = n.account_id and t.token_id = n.token_id
        and t.channel = 'cloud' and t.phone is not null and t.deleted_at is null
    where t.token_id is null`;
  for (const { accountId, tokenId, connectedAt } of unused) {
    await inAccount(accountId, async () => {
      // One that was connected again meanwhile stays.
      const { count } = await allAccountsSql`
        delete from cloud_numbers
        where account_id = ${accountId} and token_id = ${tokenId}
          and connected_at = ${connectedAt}::text::timestamptz`;
      if (count === 0) return;
      await allAccountsSql`
        delete from cloud_media where account_id = ${accountId} and token_id = ${tokenId}`;
    });
  }
}

export async function allNumbers(deps: NumbersDeps): Promise<CloudNumber[]> {
  const { allAccountsSql: sql } = deps;
  const found = await sql<Stored[]>`${select(sql)} order by n.token_id`;
  return found.map((stored) => opened(deps, stored));
}
