import { MessageSquare } from 'lucide-react';
import { useState } from 'react';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { TransportError } from '#web/api/errors.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';

function Demo() {
  const [tries, setTries] = useState(0);
  return (
    <>
      <Show title="A sentence alone">
        <EmptyState title="Data tidak ditemukan" />
      </Show>
      <Show title="What would be here, and how to start it">
        <EmptyState
          icon={<MessageSquare size={24} />}
          title="Belum ada pesan."
          action={<Button>Kirim pesan</Button>}
        >
          Pesan yang Anda kirim dan terima muncul di sini.
        </EmptyState>
      </Show>
      <Show title="Could not be loaded">
        <WentWrong
          query={{ error: new TransportError('network'), refetch: () => setTries(tries + 1) }}
        />
        <Emitted of="Tries again">{tries}</Emitted>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'empty-state',
  title: 'EmptyState, WentWrong',
  about:
    'Nothing yet: says what would be here and how to start it. WentWrong says what could not be loaded, in its place, and offers to try again.',
  props: [
    { name: 'icon', type: 'ReactNode', about: 'A lucide icon of 24 px.' },
    { name: 'title', type: 'ReactNode', about: 'One sentence.' },
    { name: 'children', type: 'ReactNode', about: 'More below it.' },
    { name: 'action', type: 'ReactNode', about: 'The one button that starts it.' },
    {
      name: 'query',
      type: '{ error, refetch? }',
      about: 'WentWrong: its error, and with refetch a button “Coba lagi”.',
    },
  ],
  Demo,
};
