import { useState } from 'react';
import styles from '#stories/gallery/fields.module.css';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { MultiSelect } from '#web/ui/select/MultiSelect.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { SelectOne } from '#web/ui/select/SelectOne.tsx';

const sizes = ['sm', 'md', 'lg', 'xl'] as const;
const banks = [
  { value: 'bca', label: 'BCA' },
  { value: 'bni', label: 'BNI' },
  { value: 'bri', label: 'BRI' },
  { value: 'mandiri', label: 'Mandiri', disabled: true },
];
const statuses = [
  { value: '', label: 'Semua status' },
  { value: 'sent', label: 'Terkirim' },
  { value: 'failed', label: 'Gagal' },
];
const tokens = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    value: `tok_${index + 1}`,
    label: `Cabang ${index + 1}`,
  }));

function Demo() {
  const [bank, setBank] = useState('');
  const [status, setStatus] = useState('');
  return (
    <>
      <Show title="Placeholder">
        <div className={styles['column']}>
          <Select
            label="Bank tujuan"
            required
            placeholder="Pilih bank"
            help="Bank yang sedang gangguan tidak dapat dipilih."
            options={banks}
            value={bank}
            onChange={({ target }) => setBank(target.value)}
          />
          <Emitted of="Bank">{bank || 'none'}</Emitted>
        </div>
      </Show>
      <Show title="Error">
        <div className={styles['column']}>
          <Select
            label="Bank pengirim"
            placeholder="Pilih bank"
            error="Pilih bank pengirim."
            options={banks}
            defaultValue=""
          />
        </div>
      </Show>
      <Show title="As a filter">
        <div className={styles['column']}>
          <Select
            label="Status pesan"
            hideLabel
            options={statuses}
            value={status}
            onChange={({ target }) => setStatus(target.value)}
          />
        </div>
      </Show>
      <Show title="Sizes">
        <div className={styles['column']}>
          {sizes.map((size) => (
            <Select key={size} size={size} label={`Bank, ${size}`} options={banks} />
          ))}
        </div>
      </Show>
      <Show title="Disabled">
        <div className={styles['column']}>
          <Select label="Kanal" disabled options={[{ value: 'sim', label: 'Simulator' }]} />
        </div>
      </Show>
      <OneOfMany />
      <SomeOfAll />
    </>
  );
}

function OneOfMany() {
  const [few, setFew] = useState('tok_1');
  const [many, setMany] = useState('tok_1');
  return (
    <Show title="SelectOne: twelve entries, and thirteen">
      <div className={styles['column']}>
        <SelectOne label="Dua belas token" options={tokens(12)} value={few} onChange={setFew} />
        <SelectOne label="Tiga belas token" options={tokens(13)} value={many} onChange={setMany} />
        <Emitted of="Tokens">
          {few} {many}
        </Emitted>
      </div>
    </Show>
  );
}

function SomeOfAll() {
  const [some, setSome] = useState<readonly string[]>([]);
  return (
    <Show title="MultiSelect: several at once">
      <div className={styles['column']}>
        <MultiSelect
          label="Status kiriman"
          none="Semua status"
          options={statuses.slice(1)}
          value={some}
          onChange={setSome}
        />
        <Emitted of="Statuses">{some.join(' ') || 'none'}</Emitted>
      </div>
    </Show>
  );
}

export const piece: Piece = {
  id: 'select',
  title: 'Select',
  about:
    "The browser's own select, for up to twelve entries. SelectOne is for lists whose length is not known: beyond twelve entries it becomes a Combobox, whose code is fetched only then. MultiSelect takes several of a short list.",
  props: [
    {
      name: 'options',
      type: 'readonly { value, label, disabled? }[]',
      about: 'The entries, in order.',
    },
    {
      name: 'placeholder',
      type: 'string',
      about: 'Shown while nothing is chosen; cannot be chosen itself.',
    },
    { name: 'label, help, error, size', type: 'as TextField', about: 'As those of TextField.' },
    {
      name: '…',
      type: "ComponentProps<'select'>",
      about:
        'Everything a select takes. SelectOne takes value and onChange(value) instead, MultiSelect the list of values and `none`, the text of an empty selection.',
    },
  ],
  Demo,
};
