import { useState } from 'react';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Row } from '#web/ui/panel/Panel.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

const texts = {
  info: 'Ekspor dimulai. Anda boleh menutup halaman ini.',
  success: 'Token Kasir disimpan.',
  warning: 'Saldo tinggal Rp 12.500.',
  danger: 'Pesan tidak terkirim. Periksa sambungan Anda.',
} as const;
const tones = Object.keys(texts) as (keyof typeof texts)[];

function Demo() {
  const [undone, setUndone] = useState(0);
  return (
    <>
      <Show title="Tones">
        <Row>
          {tones.map((tone) => (
            <Button key={tone} variant="outline" onClick={() => toast(texts[tone], { tone })}>
              Say {tone}
            </Button>
          ))}
        </Row>
      </Show>
      <Show title="With something to do about it">
        <Button
          variant="outline"
          onClick={() =>
            toast('Balasan cepat dihapus.', {
              action: { label: 'Urungkan', onAction: () => setUndone((times) => times + 1) },
            })
          }
        >
          Say it with an action
        </Button>
        <Emitted of="Undone">{undone}</Emitted>
      </Show>
      <Show title="Many at once">
        <Button
          variant="outline"
          onClick={() => {
            for (let line = 1; line <= 7; line += 1) toast(`Baris ${line} sudah diimpor.`);
          }}
        >
          Say seven things
        </Button>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'toast',
  title: 'toast()',
  about:
    'Something said at the edge of the screen for 5 s, never the only place where an error stands. Time stands still while one is pointed at or has the focus, and while the tab is hidden. Five at most; F8 goes there, Escape closes one; a swipe too.',
  props: [
    {
      name: 'text',
      type: 'string',
      about: 'One sentence; the same one is not said twice within 5 s.',
    },
    {
      name: 'tone',
      type: "'info' | 'success' | 'warning' | 'danger'",
      default: "'info'",
      about: 'A danger interrupts a screen reader, the others wait for their turn.',
    },
    {
      name: 'action',
      type: '{ label: string; onAction: () => void }',
      about: 'One thing to do about it.',
    },
  ],
  Demo,
};
