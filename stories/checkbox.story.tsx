import { useState } from 'react';
import styles from '#stories/gallery/fields.module.css';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import { CheckboxGroup } from '#web/ui/form/CheckboxGroup.tsx';

const events = [
  { value: 'sent', label: 'Pesan terkirim' },
  { value: 'delivered', label: 'Pesan sampai', help: 'Penerima sudah menerimanya di ponsel.' },
  { value: 'read', label: 'Pesan dibaca' },
  { value: 'billing', label: 'Tagihan', disabled: true },
];
const days = ['Senin', 'Selasa', 'Rabu'].map((label) => ({ value: label.toLowerCase(), label }));

function Demo() {
  const [agree, setAgree] = useState(false);
  const [chosen, setChosen] = useState<readonly string[]>(['sent', 'billing']);
  const [open, setOpen] = useState<readonly string[]>([]);
  return (
    <>
      <Show title="Alone">
        <div>
          <Checkbox
            label="Saya menyetujui syarat layanan"
            required
            checked={agree}
            onChange={({ target }) => setAgree(target.checked)}
          />
          <Checkbox label="Kirim tanda terima" help="Ke alamat email Anda." defaultChecked />
          <Checkbox label="Beri tahu saya" error="Pilih untuk melanjutkan." />
        </div>
        <Emitted of="Agreed">{agree ? 'yes' : 'no'}</Emitted>
      </Show>
      <Show title="Partly chosen and disabled">
        <div>
          <Checkbox label="Semua cabang" indeterminate />
          <Checkbox label="Cabang tutup" disabled />
          <Checkbox label="Cabang pusat" disabled defaultChecked />
        </div>
      </Show>
      <Show title="A group with a box for all">
        <CheckboxGroup
          legend="Kirim webhook saat"
          all="Semua peristiwa"
          help="Anda dapat mengubahnya kapan saja."
          options={events}
          value={chosen}
          onChange={setChosen}
        />
        <Emitted of="Events">{chosen.join(' ')}</Emitted>
      </Show>
      <Show title="A required group with an error">
        <div className={styles['column']}>
          <CheckboxGroup
            legend="Hari buka"
            required
            error={open.length === 0 ? 'Pilih minimal satu hari.' : undefined}
            options={days}
            value={open}
            onChange={setOpen}
          />
        </div>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'checkbox',
  title: 'Checkbox',
  about:
    'A box of 20 px in a target of 44; the label is part of the target. CheckboxGroup puts several under one legend, with a box for all of them where it helps; what is wrong is told of the group.',
  props: [
    { name: 'label', type: 'ReactNode', about: 'Stands beside the box and ticks it, too.' },
    {
      name: 'help, error',
      type: 'ReactNode, string',
      about: 'A line under the label; an error takes its place.',
    },
    {
      name: 'indeterminate',
      type: 'boolean',
      default: 'false',
      about: 'Some of what it stands for is chosen.',
    },
    { name: 'legend (group)', type: 'ReactNode', about: 'What the boxes are about.' },
    {
      name: 'options (group)',
      type: 'readonly { value, label, help?, disabled? }[]',
      about: 'One box each.',
    },
    {
      name: 'value, onChange (group)',
      type: 'readonly string[]',
      about: 'The values that are ticked, in the order of the options.',
    },
    {
      name: 'all (group)',
      type: 'ReactNode',
      about: 'The label of a box above that ticks all that can be ticked.',
    },
  ],
  Demo,
};
