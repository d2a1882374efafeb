import { useState } from 'react';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { Attachments } from '#web/ui/chat/attachments/Attachments.tsx';
import { useAttached } from '#web/ui/chat/attachments/useAttached.ts';
import { Composer } from '#web/ui/chat/composer/Composer.tsx';

function Demo() {
  const attached = useAttached({ thread: 'galeri', purpose: 'media', captionMax: () => 40 });
  const [sent, setSent] = useState('');
  const { files, selected, text, write, maxLength, box } = attached;
  return (
    <Show title="Files with a caption each">
      <div>
        <Attachments attached={attached} />
        <Composer
          label={selected ? `Tulis keterangan untuk ${selected.file.name}` : 'Tulis pesan'}
          box={box}
          value={text}
          onChange={write}
          attached={files.length > 0}
          maxLength={maxLength}
          onFiles={attached.attach}
          onSend={(said) => {
            if (!attached.check()) return;
            const lines = files.map(({ file, caption }) => `${file.name}: ${caption}`);
            setSent(files.length === 0 ? said : lines.join(', '));
            attached.forget();
          }}
        />
      </div>
      <Emitted of="Sent">{sent}</Emitted>
    </Show>
  );
}

export const piece: Piece = {
  id: 'attachments',
  title: 'Attachments',
  about:
    'The files that go along with what is written, one of them selected: the box below writes its caption. Arrows select, Enter leads to the box. What is attached is stored in this browser until it is sent, and why a file was not taken stands above.',
  props: [
    {
      name: 'attached',
      type: 'Attached',
      about: 'What useAttached returns: files, captions, the text of the box and its limit.',
    },
  ],
  Demo,
};
