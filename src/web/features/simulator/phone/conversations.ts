import { captionText } from '#contract/messages/captions.ts';
import { messageTypeLabel } from '#contract/messages.ts';
import type { SimulatedMessage } from '#contract/simulator.ts';
import { chatKind, type ChatKind } from '#web/ui/chat/chat.ts';

/** All lines between the phone and one number, oldest first. */
export type Conversation = {
  peer: string;
  lines: readonly SimulatedMessage[];
  newest: SimulatedMessage;
};

/** A phone's lines (oldest first) by the number at the other end, the newest conversation first. */
export function conversationsOf(lines: readonly SimulatedMessage[]): readonly Conversation[] {
  const conversations = new Map<string, Conversation>();
  for (const line of lines) {
    const before = conversations.get(line.peer)?.lines ?? [];
    conversations.set(line.peer, { peer: line.peer, lines: [...before, line], newest: line });
  }
  return [...conversations.values()].sort((a, b) => b.newest.at.getTime() - a.newest.at.getTime());
}

/** What a line is, before its text; a text and a template say it themselves. */
const words: Record<ChatKind, string> = {
  ...messageTypeLabel,
  file: 'Berkas',
  template: '',
  text: '',
};

/** A line in a few words, for the list: its text, or what it is. */
export const excerptOf = ({ content }: SimulatedMessage): string => {
  const kind = words[chatKind(content.type)];
  const said = captionText(content.caption);
  return [kind, said].filter((part) => part !== '').join(': ');
};

/** How many lines came in after the one that was last looked at; `seen` is a line's id. */
export function unreadIn({ lines }: Conversation, seen: string | undefined): number {
  const from = lines.findIndex(({ id }) => id === seen) + 1;
  return lines.slice(from).filter(({ direction }) => direction === 'in').length;
}
