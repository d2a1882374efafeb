import { captionText } from '#contract/messages/captions.ts';
import { messageTypeLabel } from '#contract/messages.ts';
import type { SimulatedMessage } from '#contract/simulator.ts';
import { chatKind, type ChatKind } from '#web/ui/chat/chat.ts';

export type Conversation = {
  peer: string;
  lines: readonly SimulatedMessage[];
  newest: SimulatedMessage;
};

/** A phone's lines (oldest first) by the other number, the newest conversation first. */
export function conversationsOf(lines: readonly SimulatedMessage[]): readonly Conversation[] {
  const conversations = new Map<string, Conversation>();
  for (const line of lines) {
    const before = conversations.get(line.peer)?.lines ?? [];
    conversations.set(line.peer, { peer: line.peer, lines: [...before, line], newest: line });
  }
  return [...conversations.values()].sort((a, b) => b.newest.at.getTime() - a.newest.at.getTime());
}

/** The label of a line before its text; a text and a template have none. */
const words: Record<ChatKind, string> = {
  ...messageTypeLabel,
  file: 'Berkas',
  template: '',
  text: '',
};

export const excerptOf = ({ content }: SimulatedMessage): string => {
  const kind = words[chatKind(content.type)];
  const caption = captionText(content.caption);
  return [kind, caption].filter((part) => part !== '').join(': ');
};

/** The number of incoming lines after the last one seen; `seen` is a line's id. */
export function unreadIn({ lines }: Conversation, seen: string | undefined): number {
  const from = lines.findIndex(({ id }) => id === seen) + 1;
  return lines.slice(from).filter(({ direction }) => direction === 'in').length;
}
