import type { SecondFactorAsked, SignedIn } from '#contract/accounts.ts';
import type { Call } from '#server/infra/acts.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { type UserRef, userOf } from '#server/domains/accounts/people.ts';
import {
  askForFactor,
  lockPerson,
  needsSecondFactor,
} from '#server/domains/accounts/secondfactor/factors.ts';
import { startSession } from '#server/domains/accounts/sessions/sessions.ts';

type Deps = Pick<AccountsDeps, 'config' | 'fileLink' | 'secrets'>;
type Client = Pick<Call, 'ip' | 'agent' | 'device'>;

/**
 * The one way in, whatever was proved before: password, code to the phone, or another password set by one.
 * Whoever has a second factor is asked for it instead, in every browser; `withSecondFactor` then comes back
 * with it. A test holds that nothing else starts a session.
 */
export async function signIn(
  tx: Tx,
  deps: Deps,
  user: UserRef,
  client: Client,
): Promise<SignedIn | SecondFactorAsked> {
  const asked = await askAtSignIn(tx, deps, user, client);
  return asked ?? begin(tx, deps, user, { ...client, secondFactor: false });
}

/** Asks whoever has a second factor for it; `undefined` for who has none. */
export async function askAtSignIn(
  tx: Tx,
  deps: Deps,
  user: UserRef,
  { device }: Client,
): Promise<SecondFactorAsked | undefined> {
  await lockPerson(tx, user);
  const asked = await askForFactor(tx, deps, user, { purpose: 'sign_in', device });
  return asked && { second_factor: asked };
}

/** The session of somebody whose second factor was right, in the transaction that took it. */
export const signInWithFactor = (
  tx: Tx,
  deps: Deps,
  user: UserRef,
  client: Client,
): Promise<SignedIn> => begin(tx, deps, user, { ...client, secondFactor: true });

async function begin(
  tx: Tx,
  deps: Deps,
  { accountId, userId }: UserRef,
  session: Client & { secondFactor: boolean },
): Promise<SignedIn> {
  const { ip, agent, device, secondFactor } = session;
  const token = await startSession(tx, { accountId, userId, ip, agent, device, secondFactor });
  const user = await userOf(tx, deps, { accountId, userId });
  const needs = needsSecondFactor(deps.config, {
    role: user.role,
    ...(secondFactor && { secondFactor }),
  });
  return { token, user: needs ? { ...user, needs_second_factor: true } : user };
}
