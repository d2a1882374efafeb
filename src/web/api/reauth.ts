type Asked = { promise: Promise<void>; proved: () => void; declined: (why: unknown) => void };

let asked: Asked | undefined;
const listeners = new Set<() => void>();

function become(next: Asked | undefined): void {
  asked = next;
  for (const listener of listeners) listener();
}

/** Whether there is somebody who puts the question: the signed-in layout. */
export const proofCanBeAsked = (): boolean => listeners.size > 0;

/**
 * Asks the person for the password once more. However many ask at the same time, one question is put.
 *
 * @throws an AbortError when the person would rather not: nothing to tell anyone (`isAbort`).
 */
export function askProof(): Promise<void> {
  if (!asked) {
    let proved: Asked['proved'] = () => undefined;
    let declined: Asked['declined'] = () => undefined;
    const promise = new Promise<void>((resolve, reject) => {
      [proved, declined] = [resolve, reject];
    });
    become({ promise, proved, declined });
  }
  return asked?.promise ?? Promise.resolve();
}

/** The password was right, or the question was closed. */
export function answerProof(proved: boolean): void {
  const question = asked;
  become(undefined);
  if (proved) question?.proved();
  else question?.declined(new DOMException('the password was not given', 'AbortError'));
}

/** For `useSyncExternalStore`: whether the password is being asked for. */
export const proofQuestion = {
  stands: (): boolean => asked !== undefined,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      // Nobody is left who could answer.
      if (listeners.size === 0 && asked) answerProof(false);
    };
  },
};
