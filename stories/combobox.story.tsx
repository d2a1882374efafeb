import { useState } from 'react';
import styles from '#stories/gallery/fields.module.css';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Combobox } from '#web/ui/select/Combobox.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';

const provinces =
  'Aceh, Sumatera Utara, Sumatera Barat, Riau, Jambi, Sumatera Selatan, Bengkulu, Lampung, Kepulauan Bangka Belitung, Kepulauan Riau, DKI Jakarta, Jawa Barat, Jawa Tengah, DI Yogyakarta, Jawa Timur, Banten, Bali, Nusa Tenggara Barat, Nusa Tenggara Timur, Kalimantan Barat, Kalimantan Tengah, Kalimantan Selatan, Kalimantan Timur, Kalimantan Utara, Sulawesi Utara, Sulawesi Tengah, Sulawesi Selatan, Sulawesi Tenggara, Gorontalo, Sulawesi Barat, Maluku, Maluku Utara, Papua, Papua Barat'
    .split(', ')
    .map((label) => ({ value: label.toLowerCase().replaceAll(' ', '-'), label }));
const closed = new Set(['riau', 'maluku']);
const reachable = provinces.map((one) => ({ ...one, disabled: closed.has(one.value) }));

function Demo() {
  const [home, setHome] = useState('');
  const [area, setArea] = useState('bali');
  const [sent, setSent] = useState(0);
  return (
    <>
      <Show title="Nothing chosen yet">
        <form
          className={styles['column']}
          onSubmit={(event) => {
            event.preventDefault();
            setSent(sent + 1);
          }}
        >
          <Combobox
            label="Provinsi"
            name="province"
            required
            placeholder="Cari provinsi"
            help="Riau dan Maluku belum terjangkau."
            options={reachable}
            value={home}
            onChange={setHome}
          />
          <Button type="submit">Simpan alamat</Button>
          <Emitted of="Province">{home || 'none'}</Emitted>
          <Emitted of="Submissions">{sent}</Emitted>
        </form>
      </Show>
      <Show title="Clearable">
        <div className={styles['column']}>
          <Combobox label="Wilayah" clearable options={provinces} value={area} onChange={setArea} />
          <Emitted of="Area">{area || 'none'}</Emitted>
        </div>
      </Show>
      <Show title="Error">
        <div className={styles['column']}>
          <Combobox
            label="Provinsi pengirim"
            error="Pilih provinsi pengirim."
            options={provinces}
            value=""
            onChange={() => {}}
          />
        </div>
      </Show>
      <Show title="Disabled">
        <div className={styles['column']}>
          <Combobox
            label="Provinsi gudang"
            disabled
            options={provinces}
            value="banten"
            onChange={() => {}}
          />
        </div>
      </Show>
      <Show title="In a dialog">
        <InDialog />
      </Show>
    </>
  );
}

function InDialog() {
  const [open, setOpen] = useState(false);
  const [value, setValue] = useState('');
  return (
    <>
      <Button variant="outline" onClick={() => setOpen(true)}>
        Ubah alamat
      </Button>
      <Modal open={open} onClose={() => setOpen(false)} title="Alamat" size="sm">
        <Combobox label="Provinsi tujuan" options={provinces} value={value} onChange={setValue} />
      </Modal>
      <Emitted of="Destination">{value || 'none'}</Emitted>
    </>
  );
}

export const piece: Piece = {
  id: 'combobox',
  title: 'Combobox',
  about:
    'One of a long list, found by typing: the editable combobox with list autocomplete of the ARIA practices. The first entry that fits is ready to be taken by Enter or Tab; arrows go round past disabled entries; Escape takes back what was typed and leaves a dialog around it open.',
  props: [
    {
      name: 'options',
      type: 'readonly { value, label, disabled? }[]',
      about: 'The entries, in order.',
    },
    { name: 'value', type: 'string', about: "The chosen entry's value; '' when there is none." },
    {
      name: 'onChange',
      type: '(value: string) => void',
      about:
        'Called with a value of the list, or with an empty text when the choice is taken back.',
    },
    {
      name: 'clearable',
      type: 'boolean',
      default: 'false',
      about: 'The choice can be taken back, by the button or by emptying the text.',
    },
    {
      name: 'none',
      type: 'ReactNode',
      default: "'Tidak ada yang cocok'",
      about: 'Said when nothing fits.',
    },
    { name: 'name', type: 'string', about: 'The value goes with the form under this name.' },
    { name: 'label, help, error, size', type: 'as TextField', about: 'As those of TextField.' },
  ],
  Demo,
};
