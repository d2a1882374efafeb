import { BellRing, Smartphone } from 'lucide-react';
import { useState } from 'react';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { OfferCard } from '#web/ui/panel/OfferCard.tsx';

function Demo() {
  const [said, setSaid] = useState('nothing yet');
  return (
    <>
      <Show title="With a button">
        <OfferCard
          label="Pemberitahuan pesan baru"
          icon={<BellRing size={20} />}
          title="Ketahui pesan baru, juga saat Kabari tertutup."
          onLater={() => setSaid('later')}
          action={
            <Button size="sm" variant="subtle" onClick={() => setSaid('taken')}>
              Aktifkan pemberitahuan
            </Button>
          }
        >
          Pemberitahuan hanya menyebut pengirimnya, bukan isi pesannya.
        </OfferCard>
        <Emitted of="offer">{said}</Emitted>
      </Show>
      <Show title="Words only">
        <OfferCard
          label="Pasang Kabari di ponsel"
          icon={<Smartphone size={20} />}
          title="Pasang Kabari di layar utama."
          onLater={() => setSaid('later')}
        >
          Ketuk Bagikan di Safari, lalu “Tambahkan ke Layar Utama”.
        </OfferCard>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'offer-card',
  title: 'OfferCard',
  about: 'An offer that can wait: what it brings, one button, and a way to put it off.',
  props: [
    { name: 'label', type: 'string', about: 'The name of the region.' },
    { name: 'icon', type: 'ReactNode', about: 'A picture beside the words; hidden from readers.' },
    { name: 'title', type: 'string', about: 'What the person gets, in one sentence.' },
    { name: 'children', type: 'ReactNode', about: 'What they may want to know before.' },
    { name: 'action', type: 'ReactNode', about: 'The button that takes the offer.' },
    { name: 'onLater', type: '() => void', about: 'Called when it is put off.' },
  ],
  Demo,
};
