import { useState } from 'react';
import { Download, Plus } from 'lucide-react';
import styles from '#stories/gallery/overlays.module.css';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { Dropdown, MenuButton } from '#web/ui/menu/Dropdown.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';

function Demo() {
  const [shown, setShown] = useState(false);
  const [used, setUsed] = useState('nothing yet');
  return (
    <Show title="Title, context, action and tools">
      {/* Rendered on demand, because it takes the focus and sets the tab's title. */}
      <Button variant="outline" onClick={() => setShown(!shown)}>
        {shown ? 'Take the page head away' : 'Show the page head'}
      </Button>
      <div className={styles['wide']}>
        {shown && (
          <PageHead
            title="Mutasi saldo"
            context="Semua yang masuk dan keluar, terbaru di atas."
            action={<Button icon={<Plus size={18} />}>Isi saldo</Button>}
            tools={
              <>
                <Dropdown
                  label="Unduh mutasi"
                  trigger={(props) => (
                    <Button {...props} variant="outline" icon={<Download size={18} />}>
                      Unduh
                    </Button>
                  )}
                >
                  <MenuButton onClick={() => setUsed('CSV')}>Sebagai CSV</MenuButton>
                  <MenuButton onClick={() => setUsed('PDF')}>Sebagai PDF</MenuButton>
                </Dropdown>
                <LinkButton href="/__galeri/tabs" variant="outline">
                  Pindah halaman
                </LinkButton>
              </>
            }
          />
        )}
      </div>
      <Emitted of="Tool used">{used}</Emitted>
    </Show>
  );
}

export const piece: Piece = {
  id: 'page-head',
  title: 'PageHead',
  about:
    "A page's h1, one line of context, its main action and its tools. Below 768 px the tools stand behind a ⋮ button, which closes on Escape, a press outside and on another page.",
  props: [
    { name: 'title', type: 'string', about: "The page's h1 and the tab's name." },
    { name: 'context', type: 'ReactNode', about: 'One line under it.' },
    { name: 'action', type: 'ReactNode', about: 'The main action; stays in sight on phones.' },
    { name: 'tools', type: 'ReactNode', about: 'The others.' },
  ],
  Demo,
};
