import type { Direction, MessageStatus, MessageType } from '#contract/messages.ts';

const ends: ReadonlySet<MessageStatus> = new Set(['failed', 'cancelled', 'expired']);

/** Whether a message can be sent once more: ours, not a reaction, and it ended without arriving. */
export const mayResend = (message: {
  direction: Direction;
  type: MessageType;
  status: MessageStatus;
}): boolean =>
  message.direction === 'out' && message.type !== 'reaction' && ends.has(message.status);
