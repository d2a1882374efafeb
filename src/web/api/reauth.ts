import { type Act, PASSWORD_SECONDS } from '#contract/base/act.ts';
import { secondsSincePassword } from '#web/browser/session.ts';
import { createStore } from '#web/browser/store.ts';

type Reauth = { promise: Promise<void>; resolve: () => void; reject: (why: unknown) => void };

let canAsk = false;

/** The open password prompt; `undefined` when there is none. */
export const reauthRequest = createStore<Reauth | undefined>(
  () => undefined,
  ({ get }) => {
    canAsk = true;
    return () => {
      canAsk = false;
      if (get()) answerReauth(false);
    };
  },
);

/** True if a layout can show the password prompt. */
export const canRequireReauth = (): boolean => canAsk;

/**
 * Asks for the password. Concurrent callers share one prompt.
 *
 * @throws an AbortError when the person cancels (`isAbort`).
 */
export function requireReauth(): Promise<void> {
  const before = reauthRequest.get();
  if (before) return before.promise;
  let resolve: Reauth['resolve'] = () => undefined;
  let reject: Reauth['reject'] = () => undefined;
  const promise = new Promise<void>((...both) => {
    [resolve, reject] = both;
  });
  reauthRequest.set({ promise, resolve, reject });
  return promise;
}

/** Closes the prompt; `proved` is true if the password was right. */
export function answerReauth(proved: boolean): void {
  const request = reauthRequest.get();
  reauthRequest.set(undefined);
  if (proved) request?.resolve();
  else request?.reject(notGiven());
}

/** A password field in the dialog or form of an act. */
export type PasswordQuestion = {
  act: string;
  /** Sends the password if the field is shown. @throws an AbortError when it is missing or wrong. */
  give: () => Promise<void>;
  /** Shows the field, because the server asked. */
  show: () => void;
};

const questions = new Set<PasswordQuestion>();

/** Lets an act ask in its own dialog. @returns the function that removes the question */
export function placeQuestion(question: PasswordQuestion): () => void {
  questions.add(question);
  return () => questions.delete(question);
}

/** The question of an act, if a dialog or form with one is open. */
export const questionOf = (act: string): PasswordQuestion | undefined =>
  [...questions].find((one) => one.act === act);

/** True if the password is known to be too old for an act that requires it. */
export function isPasswordOld({ requiresRecentPassword: kind }: Act): boolean {
  const seconds = secondsSincePassword();
  return kind !== undefined && seconds !== undefined && seconds >= PASSWORD_SECONDS[kind];
}

/** Rejects a call without an error message: the field says what is missing. */
export const notGiven = (): DOMException =>
  new DOMException('the password was not given', 'AbortError');
