import { useState } from 'react';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { EmojiButton } from '#web/ui/chat/emoji/EmojiButton.tsx';
import { EmojiPicker } from '#web/ui/chat/emoji/EmojiPicker.tsx';

function Demo() {
  const [picked, setPicked] = useState<readonly string[]>([]);
  const [written, setWritten] = useState('');
  return (
    <>
      <Show title="In the page">
        <div>
          <EmojiPicker onPick={(emoji) => setPicked([...picked, emoji])} />
        </div>
        <Emitted of="Picked emoji">{picked.join(' ')}</Emitted>
      </Show>
      <Show title="Behind its button">
        <div>
          <EmojiButton onPick={(emoji) => setWritten(written + emoji)} />
        </div>
        <Emitted of="Written emoji">{written}</Emitted>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'emoji-picker',
  title: 'Emoji picker',
  about:
    'All emoji by Indonesian words, by groups, in a tone of skin, and those that were chosen last. Its data comes with it, when it is opened first.',
  props: [
    { name: 'onPick', type: '(emoji) => void', about: 'One was chosen; the picker stays open.' },
  ],
  Demo,
};
