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
  else request?.reject(new DOMException('the password was not given', 'AbortError'));
}
