import { useState } from 'react';
import styles from '#stories/gallery/fields.module.css';
import type { Piece } from '#stories/gallery/piece.ts';
import { Show } from '#stories/gallery/Show.tsx';
import { TextArea } from '#web/ui/text/TextField.tsx';

function Demo() {
  const [text, setText] = useState('Halo Kak, pesanan Anda sudah siap diambil.');
  return (
    <>
      <Show title="With a counter">
        <div className={styles['column']}>
          <TextArea
            label="Isi pesan"
            required
            counter
            maxLength={60}
            help="Jangan menulis kata sandi atau kode."
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </div>
      </Show>
      <Show title="Counter without a held value">
        <div className={styles['column']}>
          <TextArea label="Catatan" counter maxLength={1000} defaultValue="Antar sebelum siang." />
        </div>
      </Show>
      <Show title="Error">
        <div className={styles['column']}>
          <TextArea label="Alasan" error="Tulis alasannya." />
        </div>
      </Show>
      <Show title="Disabled">
        <div className={styles['column']}>
          <TextArea label="Balasan otomatis" disabled value="Kami buka pukul 08.00 sampai 17.00." />
        </div>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'text-area',
  title: 'TextArea',
  about:
    'Several lines of text; grows with them where the browser can. Its counter is always seen and spoken only when the room is nearly used up.',
  props: [
    {
      name: 'counter',
      type: 'boolean',
      default: 'false',
      about: 'Shows how much of maxLength is used from the start, not only from four fifths on.',
    },
    { name: 'label, help, error, size', type: 'as TextField', about: 'As those of TextField.' },
    { name: '…', type: "ComponentProps<'textarea'>", about: 'Everything a textarea takes.' },
  ],
  Demo,
};
