type Conversation = { token_id: string; peer: string };

let shown: Conversation | undefined;

/** Tells which conversation stands on this tab's screen; `undefined` for none. */
export function showConversation(conversation: Conversation | undefined): void {
  shown = conversation;
}

/** True when somebody looks at this conversation in this tab right now. */
export const isSeen = ({ token_id, peer }: Conversation): boolean =>
  shown?.token_id === token_id &&
  shown.peer === peer &&
  document.visibilityState === 'visible' &&
  document.hasFocus();
