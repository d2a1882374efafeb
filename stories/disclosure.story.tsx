import { EllipsisVertical } from 'lucide-react';
import styles from '#stories/gallery/overlays.module.css';
import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Disclosure } from '#web/ui/disclosure/Disclosure.tsx';

const Demo = () => (
  <Show title="Tools behind a button">
    <Disclosure
      label="Alat contoh"
      icon={<EllipsisVertical size={20} />}
      toggleClass={styles['toggle']}
      contentClass={styles['tools']}
    >
      {(close) => (
        <>
          <Button variant="outline">Saring</Button>
          <Button variant="outline" onClick={() => close({ focus: true })}>
            Selesai memilih
          </Button>
        </>
      )}
    </Disclosure>
  </Show>
);

export const piece: Piece = {
  id: 'disclosure',
  title: 'Disclosure',
  about:
    'The toggle of page tools and of the composer: a button with aria-expanded and aria-controls, its content after it; closes on Escape (the focus goes back), a press outside, and on another page.',
  props: [
    { name: 'label', type: 'string', about: "The button's name." },
    { name: 'icon', type: 'ReactNode', about: 'Its icon; an X while it is open.' },
    {
      name: 'children',
      type: 'ReactNode | (close) => ReactNode',
      about: 'The tools; a function is given what closes them.',
    },
    { name: 'className', type: 'string', about: 'The look of the place around both.' },
    { name: 'toggleClass', type: 'string', about: 'The look of the button.' },
    {
      name: 'contentClass',
      type: 'string',
      about: 'The look of the content, which has data-open while it is open.',
    },
  ],
  Demo,
};
