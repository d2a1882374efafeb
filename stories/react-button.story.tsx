import { useState } from 'react';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { ChatBubble, ChatList } from '#web/ui/chat/ChatBubble.tsx';
import { ReactButton } from '#web/ui/chat/reactions/ReactButton.tsx';

function Demo() {
  const [mine, setMine] = useState<string>();
  const [sent, setSent] = useState<readonly string[]>([]);
  const react = (emoji: string) => {
    setMine(emoji || undefined);
    setSent([...sent, emoji === '' ? 'removed' : emoji]);
  };
  return (
    <Show title="At a message">
      <ChatList label="Percakapan">
        <ChatBubble
          side="in"
          sender="Budi"
          time="09.05"
          message={{ type: 'text', caption: 'Kuenya enak sekali, terima kasih.' }}
          reactions={[
            { emoji: '❤️', by: 'Budi' },
            ...(mine ? [{ emoji: mine, by: 'Anda', onRemove: () => react('') }] : []),
          ]}
          onReply={() => undefined}
          action={(className) => <ReactButton className={className} mine={mine} onReact={react} />}
        />
      </ChatList>
      <Emitted of="Reactions">{sent.join(' ')}</Emitted>
    </Show>
  );
}

export const piece: Piece = {
  id: 'react-button',
  title: 'Reaction',
  about:
    'Reacts to the message it stands in: six emoji at once, all others behind them. A long press on the bubble opens it; one’s own reaction pressed again goes.',
  props: [
    { name: 'mine', type: 'string | undefined', about: 'One’s own reaction.' },
    {
      name: 'onReact',
      type: '(emoji) => void',
      about: 'An emoji was chosen; an empty one takes the reaction away.',
    },
  ],
  Demo,
};
