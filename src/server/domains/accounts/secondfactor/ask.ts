import { randomBytes } from 'node:crypto';
import type { SecondFactorChallenge, SecondFactorMethod } from '#contract/accounts.ts';
import { publicId } from '#contract/base/ids.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import type { UserRef } from '#server/domains/accounts/people.ts';
import { type ChallengeScope, issueChallenge } from './challenges.ts';
import { factorsOf, passkeysOf } from './factors.ts';
import { passkeyRequest } from './passkeys.ts';
import { recoveryCodesOf } from './recovery-codes.ts';

type Deps = Pick<AccountsDeps, 'secrets' | 'config'>;

/** Asks a person for their second factor; `undefined` when they have none. */
export async function askForFactor(
  tx: Tx,
  { secrets, config }: Deps,
  user: UserRef,
  scope: ChallengeScope,
): Promise<SecondFactorChallenge | undefined> {
  const kinds = new Set((await factorsOf(tx, user)).map(({ kind }) => kind));
  if (kinds.size === 0) return undefined;
  const codes = await recoveryCodesOf(tx, user);
  const methods: SecondFactorMethod[] = [...kinds].sort((a, b) => (a > b ? -1 : 1));
  if (codes && codes.left > 0) methods.push('recovery_code');
  const value = randomBytes(32);
  const { challengeId, expiresInSeconds } = await issueChallenge(tx, secrets, {
    accountId: user.accountId,
    userId: user.userId,
    ...scope,
    value,
  });
  const passkeys = kinds.has('passkey') ? await passkeysOf(tx, user) : [];
  return {
    challenge: publicId('challenge', challengeId),
    methods,
    passkey: passkeys.length > 0 ? await passkeyRequest(config, value, passkeys) : null,
    expires_in_seconds: expiresInSeconds,
  };
}
