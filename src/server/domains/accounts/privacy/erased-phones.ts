import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { type Secrets, hmac } from '#server/infra/security/secrets.ts';

type SecretsDeps = { secrets: Pick<Secrets, 'key'> };

/** A keyed hash: numbers are few enough that without the key all of them could be tried. */
const hmacOf = ({ secrets }: SecretsDeps, phone: string): Buffer =>
  hmac(secrets.key('phones'), 'phone', phone);

/**
 * True when a number belonged to an account before: one that was erased, or one that has another number
 * now. Call it after claiming the number, in the same transaction: its former owner has committed by then.
 */
export async function hadAccount(tx: Tx, deps: SecretsDeps, phone: string): Promise<boolean> {
  const [row] = await tx<{ known: boolean }[]>`
    select exists (select from erased_account_phones where phone_hmac = ${hmacOf(deps, phone)})
      or exists (select from former_phones where phone = ${phone}) as known`;
  return row?.known ?? false;
}

/** Stores the hashed numbers of an account that is being erased, so that they get no second bonus. */
export async function storeErasedPhones(tx: Sql | Tx, deps: SecretsDeps, accountId: string) {
  const phones = await tx<{ phone: string }[]>`
    select phone from user_phones where account_id = ${accountId}
    union select phone from former_phones where account_id = ${accountId}`;
  const hashes = phones.map(({ phone }) => hmacOf(deps, phone));
  await tx`
    insert into erased_account_phones (phone_hmac) select unnest(${hashes}::bytea[])
    on conflict do nothing`;
}
