import type { OutputOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type SecondFactor,
  type SecondFactors,
  type addTotp,
  getSecondFactors,
  removeSecondFactor,
  renewRecoveryCodes,
} from '#contract/secondfactor/secondfactor.ts';
import { type Call, type ActHandler, type Person, handle } from '#server/infra/acts/act.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { notifyFactorChanged } from '#server/domains/accounts/notices.ts';
import { passwordOf } from '#server/domains/accounts/people.ts';
import { endOtherSessions } from '#server/domains/accounts/sessions/sessions.ts';
import {
  factorsOf,
  forgetFactors,
  hasSecondFactor,
  lockPerson,
  markSession,
  requireRecentFactor,
} from './factors.ts';
import { makeRecoveryCodes, recoveryCodesOf } from './recovery-codes.ts';
import { isFactorRequired } from './required.ts';

export const getSecondFactorsHandler = (deps: AccountsDeps): ActHandler =>
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
 * Adds a factor to the caller's. The first one brings recovery codes and ends the person's other sessions,
 * which began without. The phone is notified.
 *
 * @param insert stores the factor under that id; runs under the person's lock.
 */
export async function addFactor(
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

/** Takes a factor away. With the last one, where none is required, the recovery codes go too. */
export const removeSecondFactorHandler = (deps: AccountsDeps): ActHandler =>
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

/** @throws Refusal `not_found` for who has no second factor: codes alone open nothing. */
export const renewRecoveryCodesHandler = (deps: AccountsDeps): ActHandler =>
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
