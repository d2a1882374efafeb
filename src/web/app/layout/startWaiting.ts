import type { QueryClient } from '@tanstack/react-query';
import type { Store } from '#web/browser/store.ts';
import { waitingTexts } from '#web/features/messages/conversations/thread/sending/waitingTexts.ts';
import { supportWaiting } from '#web/features/support/outbox/waiting.ts';

/**
 * Sends messages waiting in this browser, stored or new; loads the sending code when there are any.
 *
 * @returns the stop function
 */
export function startWaiting(client: QueryClient): () => void {
  const texts = whenWaiting(
    waitingTexts,
    ({ length }) => length > 0,
    async () => {
      const { startOutgoing } =
        await import('#web/features/messages/conversations/thread/sending/outgoing.ts');
      return () => startOutgoing(client);
    },
  );
  const lines = whenWaiting(
    supportWaiting,
    (count) => count > 0,
    async () => {
      const { resumeOwnLines } = await import('#web/features/support/outbox/resume.ts');
      return () => resumeOwnLines(client);
    },
  );
  return () => {
    texts();
    lines();
  };
}

/** Starts once there is something; if the code cannot be fetched, again on reconnect. */
function whenWaiting<Waiting>(
  store: Store<Waiting>,
  isAny: (waiting: Waiting) => boolean,
  load: () => Promise<() => () => void>,
): () => void {
  let stopSending: (() => void) | undefined;
  let gone = false;
  const look = () => {
    if (stopSending || gone || !isAny(store.get())) return;
    void load().then(
      (start) => void (gone || (stopSending ??= start())),
      () => undefined,
    );
  };
  look();
  const stopLooking = store.subscribe(look);
  window.addEventListener('online', look);
  return () => {
    gone = true;
    stopLooking();
    window.removeEventListener('online', look);
    stopSending?.();
  };
}
