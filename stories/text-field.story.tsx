import { AtSign, Search } from 'lucide-react';
import { useState } from 'react';
import styles from '#stories/gallery/fields.module.css';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

const sizes = ['sm', 'md', 'lg', 'xl'] as const;

function Demo() {
  const [shop, setShop] = useState('Kopi Senja');
  const [limit, setLimit] = useState('1000');
  const [email, setEmail] = useState('melati@');
  return (
    <>
      <Show title="Sizes">
        <div className={styles['column']}>
          {sizes.map((size) => (
            <TextField key={size} size={size} label={`Nama, ${size}`} placeholder="Nama usaha" />
          ))}
        </div>
      </Show>
      <Show title="Help and required">
        <div className={styles['column']}>
          <TextField
            label="Nama usaha"
            required
            help="Tampil pada tagihan Anda."
            value={shop}
            onChange={({ target }) => setShop(target.value)}
          />
        </div>
      </Show>
      <Show title="Error">
        <div className={styles['column']}>
          <TextField
            label="Alamat email"
            type="email"
            prefix={<AtSign size={18} />}
            help="Untuk tanda terima."
            error={email.endsWith('@') ? 'Lengkapi alamat email Anda.' : undefined}
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        </div>
      </Show>
      <Show title="Prefix and suffix">
        <div className={styles['column']}>
          <TextField
            label="Batas harian"
            inputMode="numeric"
            prefix="maks."
            suffix="pesan"
            help="Pesan di atas batas ini ditolak."
            value={limit}
            onChange={({ target }) => setLimit(target.value)}
          />
          <Emitted of="Daily limit">{limit}</Emitted>
        </div>
      </Show>
      <More />
    </>
  );
}

function More() {
  const [query, setQuery] = useState('Ani');
  const [name, setName] = useState('Kasir toko kue lapis Bu Ani');
  return (
    <>
      <Show title="Clear button">
        <div className={styles['column']}>
          <TextField
            label="Cari pelanggan"
            type="search"
            prefix={<Search size={18} />}
            value={query}
            onChange={({ target }) => setQuery(target.value)}
            onClear={() => setQuery('')}
          />
          <Emitted of="Search">{query}</Emitted>
        </div>
      </Show>
      <Show title="Too long">
        <div className={styles['column']}>
          <TextField
            label="Nama token"
            maxLength={20}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </div>
      </Show>
      <Show title="Disabled and read only">
        <div className={styles['column']}>
          <TextField label="Nomor pelanggan" disabled value="KB-000123" />
          <TextField label="Alamat webhook lama" readOnly value="https://toko.example/hook" />
        </div>
      </Show>
      <Show title="Label for ears only">
        <div className={styles['column']}>
          <TextField label="Cari token" hideLabel placeholder="Cari token" />
        </div>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'text-field',
  title: 'TextField',
  about:
    'A line of text: label above, help under it, an error in the place of the help, all tied to the input. What stands before and after the text is not part of the value.',
  props: [
    { name: 'label', type: 'ReactNode', about: 'Always there; for ears only with hideLabel.' },
    { name: 'help', type: 'ReactNode', about: 'A line under the field; an error takes its place.' },
    {
      name: 'error',
      type: 'string',
      about: 'Says what is wrong; its presence marks the field as invalid.',
    },
    {
      name: 'size',
      type: "'sm' | 'md' | 'lg' | 'xl'",
      default: "'md'",
      about: '32, 40, 44, 52 px; 40, 44, 48, 52 px under a finger.',
    },
    {
      name: 'prefix, suffix',
      type: 'ReactNode',
      about: 'Before and after the text; a suffix is read after the name.',
    },
    {
      name: 'onClear',
      type: '() => void',
      about: 'With it a button to empty the field, named after the label.',
    },
    {
      name: 'maxLength',
      type: 'number',
      about:
        'Counted from four fifths on. A longer text stays whole and is told to be too long: nothing is cut off.',
    },
    { name: 'aside', type: 'ReactNode', about: 'Beside the label, at its end.' },
    {
      name: 'required',
      type: 'boolean',
      default: 'false',
      about: 'A star for the eye, the attribute for everyone else.',
    },
    { name: '…', type: "ComponentProps<'input'>", about: 'Everything an input takes.' },
  ],
  Demo,
};
