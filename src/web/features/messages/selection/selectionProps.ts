import type { MessageRow } from '#contract/messages.ts';

/** The props of an action on selected messages; it calls `onClose` when it is done with them. */
export type SelectionProps = {
  messages: readonly MessageRow[];
  onClose: (isDone: boolean) => void;
};
