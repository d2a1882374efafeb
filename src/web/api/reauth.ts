import { createStore } from '#web/browser/store.ts';

type Reauth = { promise: Promise<void>; resolve: () => void; reject: (why: unknown) => void };

let canAsk = false;

/** The password that is being asked for; `undefined` while it is not. */
export const reauthRequest = createStore<Reauth | undefined>(
  () => undefined,
  ({ get }) => {
    canAsk = true;
    return () => {
      canAsk = false;
      // Nobody is left who could answer.
      if (get()) answerReauth(false);
    };
  },
);

/** Whether there is somebody who puts the question: the signed-in layout. */
export const canRequireReauth = (): boolean => canAsk;

/**
 * Asks the person for the password once more. However many ask at the same time, one question is put.
 *
 * @throws an AbortError when the person would rather not: nothing to tell anyone (`isAbort`).
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

/** The password was right, or the question was closed. */
export function answerReauth(proved: boolean): void {
  const request = reauthRequest.get();
  reauthRequest.set(undefined);
  if (proved) request?.resolve();
  else request?.reject(new DOMException('the password was not given', 'AbortError'));
}
