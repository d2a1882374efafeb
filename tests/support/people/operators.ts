import { Secret } from 'otpauth';
import { addPasskey, addTotp, beginPasskey, beginTotp } from '#contract/second-factor.ts';
import { addOperator, ensureOperator } from '#server/domains/accounts/accounts.ts';
import { totpCodeAt } from '#server/domains/accounts/secondfactor/factors.ts';
import type { Person } from '#server/infra/acts.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { AccountsApp } from './accounts-app.ts';
import { openAuthenticator } from './authenticator.ts';

export const BUDI = '6281111111111';

type Browser = { device?: string; ip?: string };

/** Seconds since 1970, by the database's clock. */
export async function databaseSeconds(sql: Sql): Promise<number> {
  const [row] = await sql<{ now: number }[]>`
    select extract(epoch from clock_timestamp())::float8 as now`;
  return row?.now ?? 0;
}

export async function operatorOf(sql: Sql, phone: string = BUDI): Promise<string> {
  await ensureOperator(sql, { OPERATOR_PHONE: '6281000000000' });
  const roles = ['admin'] as const;
  return (await addOperator(sql, { name: 'Budi', phone, roles })).password;
}

export async function signedInOperator(app: AccountsApp, browser: Browser = {}, phone = BUDI) {
  const password = await operatorOf(app.deps.allAccountsSql, phone);
  const { token } = await app.signIn(phone, password, browser);
  return { phone, password, token, caller: await app.callerOf(token) };
}

/** Sets up an authenticator app; `codeAt` returns its code, by default the next unused one. */
export async function withTotp(app: AccountsApp, caller: Person, browser: Browser = {}) {
  const asker = { caller, ...browser };
  const { challenge, secret: base32 } = await app.perform(beginTotp, {}, asker);
  const secret = new Uint8Array(Secret.fromBase32(base32).buffer);
  const began = await databaseSeconds(app.deps.allAccountsSql);
  // The previous step: the current one is still unused.
  const codeAt = (seconds: number) => totpCodeAt(secret, began + seconds);
  const added = await app.perform(addTotp, { challenge, code: codeAt(-30) }, asker);
  return { codeAt, codes: added.recovery_codes ?? [], added };
}

export async function withPasskey(app: AccountsApp, caller: Person, browser: Browser = {}) {
  const asker = { caller, ...browser };
  const authenticator = openAuthenticator(1);
  const { challenge, options } = await app.perform(beginPasskey, {}, asker);
  const passkey = authenticator.create(options);
  const added = await app.perform(addPasskey, { challenge, name: 'Laptop', passkey }, asker);
  return { authenticator, codes: added.recovery_codes ?? [], added };
}
