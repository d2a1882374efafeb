import type { MessageRow } from '#contract/messages.ts';

/** What an action is given: the chosen messages, and what to call once nothing is left to do with them. */
export type ChosenProps = { messages: readonly MessageRow[]; onClose: (isDone: boolean) => void };
