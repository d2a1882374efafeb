import { Refusal } from '#contract/base/refusals.ts';
import {
  giveSecondFactor,
  askSecondFactor,
  confirmSecondFactor,
} from '#contract/secondfactor/secondfactor.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { notifyNewDevice } from '#server/domains/accounts/notices.ts';
import { statusOf } from '#server/domains/accounts/people.ts';
import { REAUTH_SECONDS, rotateToken } from '#server/domains/accounts/sessions/sessions.ts';
import { signInWithFactor } from '#server/domains/accounts/signin/sign-in.ts';
import { askForFactor } from './ask.ts';
import { lockPerson, markSession } from './factors.ts';
import { isKnownBrowser, withSecondFactor } from './verify.ts';

/** Signs in whom `signIn` asked for a second factor. */
export const giveSecondFactorHandler = (deps: AccountsDeps): ActHandler =>
  handle(giveSecondFactor, async (call, { challenge: challengeId, ...given }) => {
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

/** @throws Refusal `not_found` for who has no second factor: there is nothing to ask for. */
export const askSecondFactorHandler = (deps: AccountsDeps): ActHandler =>
  handle(askSecondFactor, async ({ caller, device }) => {
    const { sessionId } = caller;
    const asked = await deps.allAccountsSql.begin(async (tx) => {
      await lockPerson(tx, caller);
      return askForFactor(tx, deps, caller, { purpose: 'confirm', device, sessionId });
    });
    if (!asked) throw new Refusal('not_found', { what: 'Cara verifikasi' });
    return asked;
  });

export const confirmSecondFactorHandler = (deps: AccountsDeps): ActHandler =>
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
    return { seconds: REAUTH_SECONDS, token };
  });
