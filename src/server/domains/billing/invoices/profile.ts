import {
  type BillingProfile,
  getBillingProfile,
  saveBillingProfile,
} from '#contract/billing/invoices.ts';
import { handle } from '#server/infra/acts/act.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';

export const getBillingProfileHandler = ({ sql }: { sql: Sql }) =>
  handle(getBillingProfile, ({ caller: { accountId } }) =>
    asAccount(sql, accountId, (tx) => profileOf(tx, accountId)),
  );

/** Saves the buyer that later invoices name; those that are issued stay as they are. */
export const saveBillingProfileHandler = ({ sql, now }: { sql: Sql; now: () => Date }) =>
  handle(saveBillingProfile, ({ caller: { accountId } }, { name, npwp, address, email }) =>
    asAccount(sql, accountId, async (tx) => {
      await tx`
        insert into billing_profiles (account_id, name, npwp, address, email, updated_at)
        values (${accountId}, ${name || null}, ${npwp || null}, ${address || null},
          ${email || null}, ${now()})
        on conflict (account_id) do update set name = excluded.name, npwp = excluded.npwp,
          address = excluded.address, email = excluded.email, updated_at = excluded.updated_at`;
      return profileOf(tx, accountId);
    }),
  );

async function profileOf(tx: Tx, accountId: string): Promise<BillingProfile> {
  const [profile] = await tx<BillingProfile[]>`
    select name, npwp, address, email from billing_profiles where account_id = ${accountId}`;
  return profile ?? { name: null, npwp: null, address: null, email: null };
}
