import { randomBytes } from 'node:crypto';
import { publicId } from '#contract/base/ids.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  addPasskey,
  addTotp,
  beginPasskey,
  beginTotp,
} from '#contract/secondfactor/secondfactor.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { passwordOf } from '#server/domains/accounts/people.ts';
import { addFactor } from './change.ts';
import { countWrong, endChallenge, issueChallenge, lockChallenge } from './challenges.ts';
import { factorsOf, lockPerson, passkeysOf, requireRecentFactor } from './factors.ts';
import { madePasskey, passkeyCreation } from './passkeys.ts';
import { newTotpSecret, totpStepOf, totpToShow } from './totp.ts';
import { totpContext } from './verify.ts';

const PASSKEYS_MAX = 10;

/** Shown at the field in which a passkey is named. */
const refusedPasskey = (why: string) => new Refusal('input_invalid', { fields: { name: why } });
const tooMany = () =>
  refusedPasskey(`Paling banyak ${PASSKEYS_MAX} passkey. Hapus yang tidak dipakai lebih dulu.`);
const unfit = () =>
  refusedPasskey('Passkey tidak dapat diperiksa. Coba lagi, atau pakai cara lain.');

export const beginTotpHandler = (deps: AccountsDeps): ActHandler =>
  handle(beginTotp, async (call) => {
    const value = newTotpSecret();
    const { challengeId, expiresInSeconds, phone } = await deps.allAccountsSql.begin(async (tx) => {
      await readyToAdd(tx, call);
      await refuseSecondTotp(tx, call);
      const issued = await issueChallenge(tx, deps.secrets, {
        ...scopeOf(call, 'add_totp'),
        value,
      });
      return { ...issued, phone: (await passwordOf(tx, call.caller)).phone };
    });
    return {
      challenge: publicId('challenge', challengeId),
      ...totpToShow(value, formatPhone(phone)),
      expires_in_seconds: expiresInSeconds,
    };
  });

async function readyToAdd(tx: Tx, { caller }: Call<'operator'>): Promise<void> {
  await lockPerson(tx, caller);
  await requireRecentFactor(tx, caller);
}

async function refuseSecondTotp(tx: Tx, { caller }: Call<'operator'>): Promise<void> {
  const factors = await factorsOf(tx, caller);
  if (factors.some(({ kind }) => kind === 'totp')) throw new Refusal('second_factor_exists', {});
}

const scopeOf = <P extends 'add_totp' | 'add_passkey'>(call: Call<'operator'>, purpose: P) => {
  const { accountId, userId, sessionId } = call.caller;
  return { accountId, userId, sessionId, device: call.device, purpose };
};

/**
 * The app's first code shows that it has the secret, and is used up by that.
 *
 * @throws Refusal `second_factor_wrong` with the tries left, `second_factor_expired`, `second_factor_exists`.
 */
export const addTotpHandler = (deps: AccountsDeps): ActHandler =>
  handle(addTotp, async (call, { challenge: challengeId, code }) => {
    const { caller } = call;
    const outcome = await deps.allAccountsSql.begin(async (tx) => {
      await lockPerson(tx, caller);
      const challenge = { ...scopeOf(call, 'add_totp'), challengeId };
      const secret = await lockChallenge(tx, deps.secrets, caller, challenge);
      const [clock] = await tx<{ now: number }[]>`
        select extract(epoch from clock_timestamp())::float8 as now`;
      const step = totpStepOf(secret, code, clock?.now ?? 0);
      if (step !== undefined) return { secret, step };
      return { left: await countWrong(tx, challengeId) };
    });
    if ('left' in outcome) throw new Refusal('second_factor_wrong', { left: outcome.left ?? 0 });
    const { secret, step } = outcome;
    return addFactor(deps, call, 'totp', async (tx, factorId) => {
      await lockChallenge(tx, deps.secrets, caller, { ...scopeOf(call, 'add_totp'), challengeId });
      await endChallenge(tx, challengeId);
      await refuseSecondTotp(tx, call);
      const sealed = deps.secrets.seal(secret, totpContext(factorId));
      await tx`
        insert into second_factors (account_id, user_id, factor_id, kind, name, secret, last_step)
        values (${caller.accountId}, ${caller.userId}, ${factorId}, 'totp', '', ${sealed}, ${step})`;
    });
  });

export const beginPasskeyHandler = (deps: AccountsDeps): ActHandler =>
  handle(beginPasskey, async (call) => {
    const { caller } = call;
    const value = randomBytes(32);
    return deps.allAccountsSql.begin(async (tx) => {
      await readyToAdd(tx, call);
      const existing = await passkeysOf(tx, caller);
      if (existing.length >= PASSKEYS_MAX) {
        throw tooMany();
      }
      const { challengeId, expiresInSeconds } = await issueChallenge(tx, deps.secrets, {
        ...scopeOf(call, 'add_passkey'),
        value,
      });
      const { name, phone } = await passwordOf(tx, caller);
      const { userId } = caller;
      const wanted = { userId, name, phone: formatPhone(phone), challenge: value, existing };
      return {
        challenge: publicId('challenge', challengeId),
        options: await passkeyCreation(deps.config, wanted),
        expires_in_seconds: expiresInSeconds,
      };
    });
  });

export const addPasskeyHandler = (deps: AccountsDeps): ActHandler =>
  handle(addPasskey, async (call, { challenge: challengeId, name, passkey: given }) => {
    const { accountId, userId } = call.caller;
    return addFactor(deps, call, 'passkey', async (tx, factorId) => {
      const challenge = { ...scopeOf(call, 'add_passkey'), challengeId };
      const value = await lockChallenge(tx, deps.secrets, call.caller, challenge);
      const made = await madePasskey(deps.config, value, given);
      if (!made) throw unfit();
      await endChallenge(tx, challengeId);
      const { length } = await passkeysOf(tx, call.caller);
      if (length >= PASSKEYS_MAX) throw tooMany();
      const { credentialId, publicKey, counter, transports } = made;
      const [added] = await tx`
        insert into second_factors (
          account_id, user_id, factor_id, kind, name, credential_id, public_key, counter, transports
        ) values (
          ${accountId}, ${userId}, ${factorId}, 'passkey', ${name}, ${credentialId}, ${publicKey},
          ${counter}, ${transports}
        )
        on conflict (account_id, user_id, credential_id) where kind = 'passkey' do nothing
        returning 1`;
      if (!added) throw new Refusal('second_factor_exists', {});
    });
  });
