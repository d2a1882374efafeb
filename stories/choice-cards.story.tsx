import { useState } from 'react';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { ChoiceCards } from '#web/ui/choice/ChoiceCards.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

const choices = [
  { value: 'pickup', title: 'Ambil di toko', children: 'Tanpa ongkos kirim, siap dalam dua jam.' },
  {
    value: 'courier',
    title: 'Kurir',
    aside: <StatusChip tone="info">Hari ini</StatusChip>,
    children: 'Sampai sore ini bila dipesan sebelum pukul 12.00.',
  },
  { value: 'post', title: 'Pos' },
] as const;
type Value = (typeof choices)[number]['value'];

function Demo() {
  const [value, setValue] = useState<Value>();
  return (
    <>
      <Show title="Of three">
        <ChoiceCards
          legend="Pengiriman"
          name="delivery"
          choices={choices}
          value={value}
          onChange={setValue}
        />
        <Emitted of="Chosen">{value ?? 'none'}</Emitted>
      </Show>
      <Show title="Nothing chosen, and one has to be">
        <ChoiceCards
          legend="Pengiriman"
          name="delivery-wrong"
          choices={choices.slice(0, 2)}
          value={undefined}
          error="Pilih cara pengirimannya."
          onChange={() => undefined}
        />
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'choice-cards',
  title: 'ChoiceCards',
  about:
    'One of a few things that each need some words: radio buttons in cards. The title names the button, the words below describe it; the whole card is the target.',
  props: [
    { name: 'legend', type: 'ReactNode', about: 'What is being chosen.' },
    {
      name: 'choices',
      type: 'readonly { value, title, aside?, children? }[]',
      about: 'The cards, from top to bottom.',
    },
    { name: 'value', type: 'string | undefined', about: 'Undefined until one is chosen.' },
    { name: 'onChange', type: '(value) => void', about: 'One is chosen: by click or arrow keys.' },
    { name: 'error', type: 'string', about: 'A sentence below the cards.' },
  ],
  Demo,
};
