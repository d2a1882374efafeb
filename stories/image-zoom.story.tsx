import { useState } from 'react';
import { sampleMedia } from '#stories/gallery/media/sampleMedia.ts';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { ImageZoom } from '#web/ui/media/ImageZoom.tsx';
import type { ZoomState } from '#web/ui/media/ZoomLayer.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';

function Demo() {
  const [states, setStates] = useState<readonly ZoomState[]>([]);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Show title="In Indonesian">
        <ImageZoom
          src={sampleMedia.picture}
          alt="Kue lapis di atas piring"
          width={320}
          height={240}
          expandText="Perbesar gambar"
          minimizeText="Perkecil gambar"
          onState={(state) => setStates((before) => [...before, state].slice(-5))}
        />
        <Emitted of="States of the zoom">{states.join(' ')}</Emitted>
      </Show>
      <Show title="With its own words">
        <ImageZoom src={sampleMedia.picture} alt="A slice of cake" width={160} height={120} />
      </Show>
      <Show title="Disabled">
        <ImageZoom
          src={sampleMedia.picture}
          alt="Kue yang tetap kecil"
          width={160}
          height={120}
          disabled
        />
      </Show>
      <Show title="Cannot be loaded">
        <ImageZoom src="data:image/png;base64,AAAA" alt="Kue yang hilang" width={320} />
      </Show>
      <Show title="In a dialog">
        <Button variant="outline" onClick={() => setOpen(true)}>
          Open the dialog
        </Button>
        <Modal open={open} onClose={() => setOpen(false)} title="Bukti transfer">
          <ImageZoom src={sampleMedia.picture} alt="Bukti transfer BCA" width={200} height={150} />
        </Modal>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'image-zoom',
  title: 'ImageZoom',
  about:
    'A picture that grows over the page, by a click or its button. Escape, the wheel (without Ctrl), a vertical swipe of more than 10 px, the backdrop and the button bring it back; the focus returns. Pinching is left to the browser. What cannot be loaded says so, and can be asked for again.',
  props: [
    { name: 'src', type: 'string', about: 'Where the picture is.' },
    {
      name: 'alt',
      type: 'string',
      about: 'Names the picture, the dialog and, after expandText, the button.',
    },
    {
      name: 'expandText',
      type: 'string',
      default: "'Expand image'",
      about: 'The button that enlarges it.',
    },
    {
      name: 'minimizeText',
      type: 'string',
      default: "'Minimize image'",
      about: 'The button that brings it back.',
    },
    { name: 'disabled', type: 'boolean', default: 'false', about: 'Neither opens nor closes.' },
    {
      name: 'onState',
      type: '(state: ZoomState) => void',
      about: 'UNLOADED, LOADING, LOADED, UNLOADING.',
    },
    { name: '…', type: "ComponentProps<'img'>", about: 'Everything else goes to the picture.' },
  ],
  Demo,
};
