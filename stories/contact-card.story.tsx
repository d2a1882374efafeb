import { useState } from 'react';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { ContactCard } from '#web/ui/chat/cards/ContactCard.tsx';

function Demo() {
  const [requested, setRequested] = useState('');
  return (
    <>
      <Show title="With everything">
        <ContactCard name="Budi Santoso" phone="0812-3456-7890" onMessage={setRequested} />
        <Emitted of="Wants to write to">{requested}</Emitted>
      </Show>
      <Show title="Where nothing can be written">
        <ContactCard
          name="Toko Kue; Lapis, & Teman"
          phone="+65 8123 4567"
          organization="PT Kue Nusantara"
        />
      </Show>
      <Show title="A long name">
        <ContactCard
          name="Raden Mas Panji Sosrokartono Kusumadiningrat dari Pusat Oleh-oleh Malioboro"
          phone="6281299988877"
        />
      </Show>
      <Show title="With several numbers and an e-mail">
        <ContactCard
          name="Bu Ratna"
          phone="6281211112222"
          phones={['6281211112222', '62215551234', '+85291234567']}
          organization="CV Kue Nusantara"
          email="ratna@kue.example"
        />
      </Show>
      <Show title="Without a number">
        <ContactCard name="Sari" phone="" />
      </Show>
      <Show title="With an e-mail alone">
        <ContactCard name="Kantor pusat" phone="" email="halo@kue.example" />
      </Show>
      <Show title="Without a name">
        <ContactCard name="" phone="6285711112222" />
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'contact-card',
  title: 'ContactCard',
  about:
    'Somebody’s name and number: called, copied and written to in 62 form, or kept as a vCard 3.0.',
  props: [
    { name: 'name', type: 'string', about: 'Anything; shown as text, its first 200 letters.' },
    { name: 'phone', type: 'string', about: 'However it was written.' },
    { name: 'phones', type: 'string[]', about: 'All of them, where there are several.' },
    { name: 'email', type: 'string', about: 'Below the numbers.' },
    { name: 'organization', type: 'string', about: 'Where they work, below the name.' },
    {
      name: 'onMessage',
      type: '(digits: string) => void',
      about: "Opens a conversation; without it there is no 'Kirim pesan'.",
    },
  ],
  Demo,
};
