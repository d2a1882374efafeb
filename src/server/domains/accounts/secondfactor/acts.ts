import { type ActHandler, handle, type Call, type Person } from '#server/infra/acts.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  verifySecondFactor,
  requestSecondFactor,
  confirmSecondFactor,
  addPasskey,
  addTotp,
  beginPasskey,
  beginTotp,
  type SecondFactor,
  type SecondFactors,
  getSecondFactors,
  removeSecondFactor,
  renewRecoveryCodes,
} from '#contract/second-factor.ts';
import { notifyNewDevice, notifyFactorChanged } from '#server/domains/accounts/notices.ts';
import { statusOf, passwordOf } from '#server/domains/accounts/people.ts';
import { rotateToken, endOtherSessions } from '#server/domains/accounts/sessions/sessions.ts';
import { signInWithFactor } from '#server/domains/accounts/signin/login.ts';
import {
  issueFactorChallenge,
  lockPerson,
  markSession,
  factorsOf,
  passkeysOf,
  requireRecentFactor,
  forgetFactors,
  hasSecondFactor,
  isFactorRequired,
  makeRecoveryCodes,
  recoveryCodesOf,
  newTotpSecret,
  totpStepOf,
  totpToShow,
} from './factors.ts';
import { isKnownBrowser, withSecondFactor, totpContext } from './verify.ts';
import { randomBytes } from 'node:crypto';
import { publicId } from '#contract/base/ids.ts';
import { formatPhone } from '#contract/base/phone.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { countWrong, endChallenge, issueChallenge, lockChallenge } from './challenges.ts';
import { verifyNewPasskey, passkeyCreation } from './passkeys.ts';
import { type OutputOf, PASSWORD_SECONDS } from '#contract/base/act.ts';
import { newId } from '#server/infra/ids.ts';

export const secondFactorActs = (deps: AccountsDeps): readonly ActHandler[] => [
  verifySecondFactorHandler(deps),
  getSecondFactorsHandler(deps),
  beginTotpHandler(deps),
  addTotpHandler(deps),
  beginPasskeyHandler(deps),
  addPasskeyHandler(deps),
  removeSecondFactorHandler(deps),
  renewRecoveryCodesHandler(deps),
  requestSecondFactorHandler(deps),
  confirmSecondFactorHandler(deps),
];

const verifySecondFactorHandler = (deps: AccountsDeps): ActHandler =>
  handle(verifySecondFactor, async (call, { challenge: challengeId, ...given }) => {
    const input = { ...given, challengeId };
    const { ip, device } = call;
    const scope = { purpose: 'sign_in', ip, device } as const;
    const { signedIn, known } = await withSecondFactor(deps, input, scope, async (tx, user) => {
      const status = await statusOf(tx, user.accountId);
      if (status !== 'active') throw new Refusal('account_suspended', {});
      const known = await isKnownBrowser(tx, user, call.device);
      return { signedIn: await signInWithFactor(tx, deps, user, call), known };
    });
    if (call.caller.kind === 'person') await deps.sessions.end(call.caller.sessionId);
    if (!known) void notifyNewDevice(deps, signedIn.user.phone, call.agent).catch(deps.report);
    return signedIn;
  });

/** @throws Refusal `not_found` if the user has no second factor. */
const requestSecondFactorHandler = (deps: AccountsDeps): ActHandler =>
  handle(requestSecondFactor, async ({ caller, device }) => {
    const { sessionId } = caller;
    const challenge = await deps.allAccountsSql.begin(async (tx) => {
      await lockPerson(tx, caller);
      return issueFactorChallenge(tx, deps, caller, { purpose: 'confirm', device, sessionId });
    });
    if (!challenge) throw new Refusal('not_found', { what: 'Cara verifikasi' });
    return challenge;
  });

const confirmSecondFactorHandler = (deps: AccountsDeps): ActHandler =>
  handle(confirmSecondFactor, async (call, { challenge: challengeId, ...given }) => {
    const { ip, device } = call;
    const { sessionId } = call.caller;
    const scope = { purpose: 'confirm', sessionId, ip, device } as const;
    const input = { ...given, challengeId };
    const { token } = await withSecondFactor(deps, input, scope, async (tx) => {
      await markSession(tx, sessionId);
      return { token: await rotateToken(tx, sessionId) };
    });
    await deps.sessions.evict([sessionId]);
    return { seconds: PASSWORD_SECONDS.to_take, token };
  });

const PASSKEYS_MAX = 10;

const refusedPasskey = (why: string) => new Refusal('input_invalid', { fields: { name: why } });
const tooMany = () =>
  refusedPasskey(`Paling banyak ${PASSKEYS_MAX} passkey. Hapus yang tidak dipakai lebih dulu.`);
const unfit = () =>
  refusedPasskey('Passkey tidak dapat diperiksa. Coba lagi, atau pakai cara lain.');

const beginTotpHandler = (deps: AccountsDeps): ActHandler =>
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
 * The app's first code proves that it has the secret, and cannot be used again.
 *
 * @throws Refusal `second_factor_wrong` with the tries left, `second_factor_expired`, `second_factor_exists`.
 */
const addTotpHandler = (deps: AccountsDeps): ActHandler =>
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

const beginPasskeyHandler = (deps: AccountsDeps): ActHandler =>
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
      const newPasskey = { userId, name, phone: formatPhone(phone), challenge: value, existing };
      return {
        challenge: publicId('challenge', challengeId),
        options: await passkeyCreation(deps.config, newPasskey),
        expires_in_seconds: expiresInSeconds,
      };
    });
  });

const addPasskeyHandler = (deps: AccountsDeps): ActHandler =>
  handle(addPasskey, async (call, { challenge: challengeId, name, passkey: given }) => {
    const { accountId, userId } = call.caller;
    return addFactor(deps, call, 'passkey', async (tx, factorId) => {
      const challenge = { ...scopeOf(call, 'add_passkey'), challengeId };
      const value = await lockChallenge(tx, deps.secrets, call.caller, challenge);
      const made = await verifyNewPasskey(deps.config, value, given);
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

const getSecondFactorsHandler = (deps: AccountsDeps): ActHandler =>
  handle(getSecondFactors, ({ caller }) =>
    deps.allAccountsSql.begin((tx) => viewOf(tx, deps, caller)),
  );

async function viewOf(tx: Tx, { config }: AccountsDeps, caller: Person): Promise<SecondFactors> {
  const recovery = await recoveryCodesOf(tx, caller);
  return {
    required: isFactorRequired(config, caller.role),
    factors: await factorsOf(tx, caller),
    recovery: recovery ? { left: recovery.left, made_at: recovery.madeAt.toISOString() } : null,
  };
}

type Added = OutputOf<typeof addTotp>;

/**
 * Adds a factor of the caller. The first one creates recovery codes and ends the user's other sessions, which began
 * without it. The phone is notified.
 *
 * @param insert stores the factor under that id; runs under the user's lock.
 */
async function addFactor(
  deps: AccountsDeps,
  { caller }: Call<'operator'>,
  kind: SecondFactor['kind'],
  insert: (tx: Tx, factorId: string) => Promise<void>,
): Promise<Added> {
  const factorId = newId();
  const { ended, phone, ...added } = await deps.allAccountsSql.begin(async (tx) => {
    await lockPerson(tx, caller);
    await requireRecentFactor(tx, caller);
    const isFirst = !(await hasSecondFactor(tx, caller));
    await insert(tx, factorId);
    await markSession(tx, caller.sessionId);
    const codes = isFirst ? await makeRecoveryCodes(tx, deps.secrets, caller) : null;
    const ended = isFirst ? await endOtherSessions(tx, caller, caller.sessionId) : [];
    const id = publicId('factor', factorId);
    const factor = (await factorsOf(tx, caller)).find((one) => one.id === id);
    if (!factor) throw new Error('the factor that was added is not there');
    const { phone } = await passwordOf(tx, caller);
    return { factor, recovery_codes: codes, ended, phone };
  });
  await deps.sessions.evict([...ended, caller.sessionId]);
  void notifyFactorChanged(deps, phone, `${kind}_added`).catch(deps.report);
  return { ...added, ended: ended.length };
}

/** Removes a factor. The last one, allowed if none is required, removes the recovery codes too. */
const removeSecondFactorHandler = (deps: AccountsDeps): ActHandler =>
  handle(removeSecondFactor, async ({ caller }, { factor_id: factorId }) => {
    const { accountId, userId, sessionId, role } = caller;
    const { view, kind, phone } = await deps.allAccountsSql.begin(async (tx) => {
      await lockPerson(tx, caller);
      await requireRecentFactor(tx, caller);
      const [gone] = await tx<{ kind: SecondFactor['kind'] }[]>`
        delete from second_factors
        where (account_id, user_id, factor_id) = (${accountId}, ${userId}, ${factorId})
        returning kind`;
      if (!gone) throw new Refusal('not_found', { what: 'Cara verifikasi' });
      if (!(await hasSecondFactor(tx, caller))) {
        if (isFactorRequired(deps.config, role)) throw new Refusal('second_factor_last', {});
        await forgetFactors(tx, caller);
        await markSession(tx, sessionId, false);
      }
      const { phone } = await passwordOf(tx, caller);
      return { view: await viewOf(tx, deps, caller), kind: gone.kind, phone };
    });
    await deps.sessions.evict([sessionId]);
    void notifyFactorChanged(deps, phone, `${kind}_removed`).catch(deps.report);
    return view;
  });

/** @throws Refusal `not_found` if the user has no second factor: recovery codes alone are useless. */
const renewRecoveryCodesHandler = (deps: AccountsDeps): ActHandler =>
  handle(renewRecoveryCodes, async ({ caller }) => {
    const { codes, phone } = await deps.allAccountsSql.begin(async (tx) => {
      await lockPerson(tx, caller);
      await requireRecentFactor(tx, caller);
      if (!(await hasSecondFactor(tx, caller))) {
        throw new Refusal('not_found', { what: 'Cara verifikasi' });
      }
      const { phone } = await passwordOf(tx, caller);
      return { codes: await makeRecoveryCodes(tx, deps.secrets, caller), phone };
    });
    void notifyFactorChanged(deps, phone, 'codes_renewed').catch(deps.report);
    return { recovery_codes: codes };
  });
