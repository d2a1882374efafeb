import { createStore } from '#web/browser/store.ts';
import { isLookedAt } from '#web/browser/tab/lookedAt.ts';

type Conversation = { token_id: string; peer: string };

/** The conversation that stands on this tab's screen; `undefined` for none. */
export const shownConversation = createStore<Conversation | undefined>(() => undefined);

/** True when somebody looks at this conversation in this tab right now. */
export function isSeen({ token_id, peer }: Conversation): boolean {
  const shown = shownConversation.get();
  return shown?.token_id === token_id && shown.peer === peer && isLookedAt();
}
