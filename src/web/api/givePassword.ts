import { lazyApi, peopleActs } from '#web/api/lazyApi.ts';
import { renewSessionToken, savePasswordGiven } from '#web/browser/session.ts';

/** Sends the password of the signed-in user. @throws Refusal `password_wrong` and others of `user_reauth`. */
export async function givePassword(password: string): Promise<void> {
  const [{ perform }, { reauthUser }] = await Promise.all([lazyApi(), peopleActs()]);
  const { token } = await perform(reauthUser, { password });
  if (token !== undefined) renewSessionToken(token);
  savePasswordGiven();
}
