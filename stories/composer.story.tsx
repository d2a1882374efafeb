import { useState } from 'react';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { Composer } from '#web/ui/chat/composer/Composer.tsx';

function Demo() {
  const [text, setText] = useState('');
  const [sent, setSent] = useState<readonly string[]>([]);
  const [files, setFiles] = useState<readonly File[]>([]);
  const [plain, setPlain] = useState('');
  const [long, setLong] = useState(
    'Pesanan Anda sudah siap. Silakan diambil sebelum pukul lima sore.',
  );
  return (
    <>
      <Show title="With tools">
        <div>
          <Composer
            label="Tulis pesan untuk Budi"
            value={text}
            onChange={setText}
            onSend={(said) => {
              setSent([...sent, said]);
              setText('');
            }}
            onFiles={setFiles}
            documents=".pdf,.docx,.xlsx,.csv,.txt,.zip"
            lastDraft={sent.at(-1)}
          />
        </div>
        <Emitted of="Sent texts">{sent.map((one) => JSON.stringify(one)).join(' ')}</Emitted>
        <Emitted of="Chosen files">
          {files.map(({ name, type }) => `${name} (${type})`).join(', ')}
        </Emitted>
      </Show>
      <Show title="Text only">
        <div>
          <Composer
            label="Tulis pesan untuk Sari"
            placeholder="Tulis balasan"
            value={plain}
            onChange={setPlain}
            onSend={() => setPlain('')}
            maxLength={4096}
          />
        </div>
      </Show>
      <Show title="Too long">
        <div>
          <Composer
            label="Tulis pesan untuk Rina"
            value={long}
            onChange={setLong}
            onSend={(said) => setSent([...sent, said])}
            maxLength={60}
          />
        </div>
      </Show>
      <Show title="Blocked">
        <div>
          <Composer
            label="Tulis pesan untuk Tono"
            value=""
            onChange={() => undefined}
            onSend={() => undefined}
            blocked="Nomor Kasir terputus. Sambungkan lagi untuk membalas."
          />
        </div>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'composer',
  title: 'Composer',
  about:
    'Where a message is written. Enter sends, Shift+Enter breaks the line. The tools beside it choose files; dropping and pasting work while they are closed. Escape, a press outside and another page close them.',
  props: [
    { name: 'label', type: 'string', about: 'What the box is.' },
    {
      name: 'value, onChange',
      type: 'string, (text: string) => void',
      about: 'The draft is its owner’s.',
    },
    { name: 'onSend', type: '(text: string) => void', about: 'Never called with blanks only.' },
    {
      name: 'onFiles',
      type: '(files: readonly File[]) => void',
      about: 'Chosen, dropped or pasted; without it there are no tools.',
    },
    { name: 'documents', type: 'string', about: 'What the document tool takes, as accept has it.' },
    {
      name: 'dropZone',
      type: 'RefObject<HTMLElement | null>',
      about: 'Where files may be dropped: the whole thread.',
    },
    { name: 'lastDraft', type: 'string', about: 'ArrowUp in an empty box brings it back.' },
    { name: 'offer', type: 'ComposerOffer', about: 'A list over the box that its keys walk.' },
    { name: 'blocked', type: 'ReactNode', about: 'Why nothing can be sent; stands in its place.' },
    {
      name: 'maxLength',
      type: 'number',
      about: 'Counted from four fifths on; a longer text stays whole, says so, and is not sent.',
    },
    { name: 'placeholder', type: 'string', default: "'Tulis pesan'", about: 'As the box has it.' },
  ],
  Demo,
};
