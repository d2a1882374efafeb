import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { type Secrets, hmac } from '#server/infra/security/secrets.ts';

type Keyed = { secrets: Pick<Secrets, 'key'> };

/** Which number it is, for nobody but this installation: numbers are few enough to try them all without the key. */
const hmacOf = ({ secrets }: Keyed, phone: string): Buffer =>
  hmac(secrets.key('phones'), 'phone', phone);

/**
 * True when a number was somebody's before: of an account that was erased, or of one that has another number
 * now. Asked after the number was taken, in the same transaction: whoever let go of it has committed by then.
 */
export async function hadAccount(tx: Tx, keyed: Keyed, phone: string): Promise<boolean> {
  const [row] = await tx<{ known: boolean }[]>`
    select exists (select from erased_account_phones where phone_hmac = ${hmacOf(keyed, phone)})
      or exists (select from former_phones where phone = ${phone}) as known`;
  return row?.known ?? false;
}

/** Keeps of an account that is being erased which numbers it had, so that they get no second bonus. */
export async function keepErasedPhones(tx: Sql | Tx, keyed: Keyed, accountId: string) {
  const had = await tx<{ phone: string }[]>`
    select phone from user_phones where account_id = ${accountId}
    union select phone from former_phones where account_id = ${accountId}`;
  const hashes = had.map(({ phone }) => `\\x${hmacOf(keyed, phone).toString('hex')}`);
  await tx`
    insert into erased_account_phones (phone_hmac) select unnest(${hashes}::text[]::bytea[])
    on conflict do nothing`;
}
