import { useState } from 'react';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Recorder } from '#web/ui/chat/recorder/Recorder.tsx';

function Demo() {
  const [open, setOpen] = useState(false);
  const [sent, setSent] = useState<readonly string[]>([]);
  return (
    <Show title="A voice message">
      <div>
        {open ? (
          <Recorder
            onClose={() => setOpen(false)}
            onSend={({ name, type, size }) => {
              setSent([...sent, `${name} (${type}, ${size})`]);
              setOpen(false);
            }}
          />
        ) : (
          <Button onClick={() => setOpen(true)}>Rekam pesan suara</Button>
        )}
      </div>
      <Emitted of="Sent files">{sent.join(', ')}</Emitted>
    </Show>
  );
}

export const piece: Piece = {
  id: 'recorder',
  title: 'Recorder',
  about:
    'Records a voice message in place of the composer. Asks for the microphone when it is opened, says what to do where there is none, shows level and time, stops by itself after five minutes, and lets the recording be heard before it is sent.',
  props: [
    { name: 'onSend', type: '(file: File) => void', about: 'What was recorded: ogg or m4a.' },
    { name: 'onClose', type: '() => void', about: 'Nothing was recorded, or it was thrown away.' },
  ],
  Demo,
};
