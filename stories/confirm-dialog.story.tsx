import { useRef, useState } from 'react';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { AnswerError } from '#web/api/errors.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { ConfirmDialog } from '#web/ui/overlay/ConfirmDialog.tsx';
import { Row } from '#web/ui/panel/Panel.tsx';

function Working() {
  const [answer, setAnswer] = useState('nothing yet');
  const [times, setTimes] = useState(0);
  const ask = async (refuse: boolean) => {
    const done = await confirm({
      title: 'Putuskan ponsel?',
      children: <p>Token ini tidak dapat mengirim sampai QR dipindai kembali.</p>,
      confirmText: 'Putuskan',
      onConfirm: async () => {
        setTimes((before) => before + 1);
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        if (refuse) throw new AnswerError('Ponsel sedang tidak dapat dihubungi.', null);
      },
    });
    setAnswer(done ? 'confirmed' : 'cancelled');
  };
  return (
    <>
      <Row>
        <Button onClick={() => void ask(false)}>Ask, with work to do</Button>
        <Button onClick={() => void ask(true)}>Ask, with work that fails</Button>
      </Row>
      <Emitted of="Answer after work">{answer}</Emitted>
      <Emitted of="Times carried out">{times}</Emitted>
    </>
  );
}

function Demo() {
  const [open, setOpen] = useState(false);
  const [answer, setAnswer] = useState('nothing yet');
  const [promised, setPromised] = useState('nothing yet');
  const calls = useRef(0);
  const ask = async () => {
    calls.current += 1;
    const sure = await confirm({
      title: `Hapus token Kasir Malioboro?`,
      children: <p>Kuncinya langsung ditolak. Ini tidak dapat dibatalkan.</p>,
      confirmText: 'Hapus',
    });
    setPromised(`${sure ? 'confirmed' : 'cancelled'} ${calls.current}`);
  };
  return (
    <>
      <Show title="Its default words">
        <Button onClick={() => setOpen(true)}>Ask with the default words</Button>
        <ConfirmDialog
          open={open}
          onClose={(confirmed) => {
            setAnswer(confirmed ? 'confirmed' : 'cancelled');
            setOpen(false);
          }}
          title="Delete this?"
        />
        <Emitted of="Default answer">{answer}</Emitted>
      </Show>
      <Show title="As a promise">
        <Button onClick={() => void ask()}>Ask for a promise</Button>
        <Emitted of="Promised answer">{promised}</Emitted>
      </Show>
      <Show title="Busy, and an error">
        <Working />
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'confirm-dialog',
  title: 'ConfirmDialog and confirm()',
  about:
    'Asks before something that matters. The focus starts on the way out; while the deed is under way nothing is done twice, and what goes wrong is said inside.',
  props: [
    { name: 'title', type: 'ReactNode', about: 'The question.' },
    { name: 'children', type: 'ReactNode', about: 'What will happen.' },
    { name: 'cancelText', type: 'string', default: "'Cancel'", about: "Of confirm(): 'Batal'." },
    { name: 'confirmText', type: 'string', default: "'Delete'", about: "Screens say 'Hapus'." },
    {
      name: 'tone',
      type: "'danger' | 'primary'",
      default: "'danger'",
      about: 'Primary for what can be undone.',
    },
    {
      name: 'onConfirm',
      type: '() => void | Promise<void>',
      about: 'Done while the dialog waits; what it throws is shown inside.',
    },
    { name: 'confirm(question)', type: 'Promise<boolean>', about: 'The same, from any code.' },
  ],
  Demo,
};
