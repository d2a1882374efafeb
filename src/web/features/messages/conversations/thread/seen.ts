import { createStore } from '#web/browser/store.ts';
import { isLookedAt } from '#web/browser/tab/lookedAt.ts';

type Conversation = { token_id: string; peer: string };

export const shownConversation = createStore<Conversation | undefined>(() => undefined);

/** True while this conversation is shown in this tab and the tab is being looked at. */
export function isSeen({ token_id, peer }: Conversation): boolean {
  const shown = shownConversation.get();
  return shown?.token_id === token_id && shown.peer === peer && isLookedAt();
}
