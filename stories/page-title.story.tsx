import { useState } from 'react';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';

function Demo() {
  const [open, setOpen] = useState(false);
  const [tab, setTab] = useState('');
  return (
    <Show title="A page that is arrived at">
      <Button
        variant="outline"
        onClick={() => {
          setOpen(true);
          // The title is set after rendering.
          setTimeout(() => setTab(document.title), 0);
        }}
      >
        Arrive
      </Button>
      {open && <PageTitle>Isi saldo</PageTitle>}
      <Emitted of="The tab is called">{tab}</Emitted>
    </Show>
  );
}

export const piece: Piece = {
  id: 'page-title',
  title: 'PageTitle',
  about:
    'The h1 of a page. It names the tab, and takes the focus when a page is arrived at, so that screen readers start there; the first page of a visit starts where the browser starts.',
  props: [
    { name: 'children', type: 'string', about: 'The title.' },
    { name: 'className', type: 'string', about: 'For pages that set it otherwise.' },
  ],
  Demo,
};
