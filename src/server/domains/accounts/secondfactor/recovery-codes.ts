import type { Tx } from '#server/infra/postgres/database.ts';
import { readableCode } from '#server/infra/security/readable-code.ts';
import { type Secrets, hmac } from '#server/infra/security/secrets.ts';
import type { UserRef } from '#server/domains/accounts/people.ts';

const COUNT = 10;

/** 49 bits of chance. */
const newCode = (): string => readableCode({ groups: 2, length: 5 });

/** Useless without the pepper, and bound to its person. */
const codeHmac = (secrets: Secrets, { userId }: UserRef, code: string): Buffer =>
  hmac(secrets.key('pepper'), 'recovery code', userId, code);

/** Ten new codes instead of those of before; what is returned is never shown again. */
export async function makeRecoveryCodes(
  tx: Tx,
  secrets: Secrets,
  user: UserRef,
): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, newCode);
  await forgetRecoveryCodes(tx, user);
  const hmacs = codes.map((code) => codeHmac(secrets, user, code.replace('-', '')));
  await tx`
    insert into recovery_codes (account_id, user_id, code_hmac)
    select ${user.accountId}, ${user.userId}, hmac from unnest(${hmacs}::bytea[]) as hmac`;
  return codes;
}

export async function forgetRecoveryCodes(tx: Tx, { accountId, userId }: UserRef): Promise<void> {
  await tx`delete from recovery_codes where (account_id, user_id) = (${accountId}, ${userId})`;
}

/**
 * Uses up a code; of two uses at the same moment one succeeds.
 *
 * @param code ten letters and digits, without the dash.
 */
export async function useRecoveryCode(
  tx: Tx,
  secrets: Secrets,
  user: UserRef,
  code: string,
): Promise<boolean> {
  const [used] = await tx`
    update recovery_codes set used_at = clock_timestamp()
    where (account_id, user_id) = (${user.accountId}, ${user.userId})
      and code_hmac = ${codeHmac(secrets, user, code)} and used_at is null
    returning 1`;
  return used !== undefined;
}

/** How many codes are left, and since when there are these; `undefined` when there never were any. */
export async function recoveryCodesOf(
  tx: Tx,
  { accountId, userId }: UserRef,
): Promise<{ left: number; madeAt: Date } | undefined> {
  const [row] = await tx<{ left: number; madeAt: Date | null }[]>`
    select (count(*) filter (where used_at is null))::int as left, min(created_at) as "madeAt"
    from recovery_codes where (account_id, user_id) = (${accountId}, ${userId})`;
  return row?.madeAt ? { left: row.left, madeAt: row.madeAt } : undefined;
}
