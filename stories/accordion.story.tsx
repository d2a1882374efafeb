import { useState } from 'react';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Accordion, AccordionPart } from '#web/ui/disclosure/Accordion.tsx';

const questions = [
  {
    title: 'Kapan saldo dipotong?',
    words: 'Biaya ditahan ketika pesan diterima, lalu dipotong setelah pesan terkirim.',
  },
  {
    title: 'Apakah pesan gagal dibayar?',
    words: 'Tidak. Biaya yang ditahan kembali ke saldo Anda.',
  },
  {
    title: 'Berapa nomor yang dapat disambungkan?',
    words: 'Satu nomor untuk setiap token. Jumlah token mengikuti paket Anda.',
  },
];

function Demo() {
  const [emitted, setEmitted] = useState('nothing yet');
  return (
    <>
      <Show title="Any number open">
        <Accordion>
          {questions.map(({ title, words }, index) => (
            <AccordionPart
              key={title}
              title={title}
              open={index === 0}
              onToggle={(open) => setEmitted(`${title} ${open ? 'opened' : 'closed'}`)}
            >
              <p>
                {words} <a href="/__galeri/accordion">Baca selengkapnya: {title}</a>
              </p>
            </AccordionPart>
          ))}
        </Accordion>
        <Emitted of="Toggled part">{emitted}</Emitted>
      </Show>
      <Show title="One at a time">
        <Accordion exclusive>
          <AccordionPart title="Transfer bank" open>
            <p>Dicocokkan dalam beberapa menit.</p>
          </AccordionPart>
          <AccordionPart title="Akun virtual">
            <p>Langsung lunas begitu dibayar.</p>
          </AccordionPart>
          <AccordionPart title="QRIS">
            <p>Pindai dengan aplikasi bank atau dompet apa pun.</p>
          </AccordionPart>
        </Accordion>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'accordion',
  title: 'Accordion',
  about:
    'Parts that open and close, by native details and summary: the title is the only stop, find-in-page opens what it finds.',
  props: [
    {
      name: 'exclusive',
      type: 'boolean',
      default: 'false',
      about: 'Opening a part closes the others.',
    },
    { name: 'children', type: 'AccordionPart[]', about: 'The parts.' },
    { name: 'AccordionPart.title', type: 'ReactNode', about: 'What stands in the summary.' },
    {
      name: 'AccordionPart.open',
      type: 'boolean',
      default: 'false',
      about: 'Whether it is open at first.',
    },
    {
      name: 'AccordionPart.onToggle',
      type: '(open: boolean) => void',
      about: 'Told when it opened or closed.',
    },
  ],
  Demo,
};
