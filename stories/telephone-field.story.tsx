import { useState } from 'react';
import styles from '#stories/gallery/fields.module.css';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { PhoneField } from '#web/ui/phone/PhoneField.tsx';
import { realNumber } from '#web/ui/phone/telephoneReal.ts';
import {
  HomeTelephoneField,
  TelephoneField,
  type CountryData,
} from '#web/ui/phone/TelephoneField.tsx';
import type { TelephoneOptions } from '#web/ui/phone/telephoneCountries.ts';

function Plain() {
  const [phone, setPhone] = useState('');
  const [emitted, setEmitted] = useState<readonly unknown[]>([]);
  return (
    <div className={styles['column']}>
      <TelephoneField
        value={phone}
        validate="Tulis nomor telepon yang lengkap."
        onChange={(digits, country: CountryData, event, formatted) => {
          setPhone(digits);
          setEmitted([digits, country, event.type, formatted]);
        }}
      />
      <Emitted of="Told by the plain field">
        {emitted.length > 0 && JSON.stringify(emitted)}
      </Emitted>
    </div>
  );
}

function Home() {
  const [to, setTo] = useState('');
  return (
    <div className={styles['column']}>
      <HomeTelephoneField
        label="Nomor tujuan"
        help="Dapat dari negara mana pun."
        required
        value={to}
        onChange={setTo}
        verify={realNumber}
      />
      <Emitted of="Recipient">{to}</Emitted>
    </div>
  );
}

function Own() {
  const [own, setOwn] = useState('');
  return (
    <div className={styles['column']}>
      <PhoneField label="Nomor ponsel" value={own} onChange={setOwn} />
      <Emitted of="Own number">{own}</Emitted>
    </div>
  );
}

function InDialog() {
  const [open, setOpen] = useState(false);
  const [to, setTo] = useState('');
  const [sent, setSent] = useState(0);
  return (
    <div className={styles['column']}>
      <Button onClick={() => setOpen(true)}>Tambah kontak</Button>
      <Modal open={open} onClose={() => setOpen(false)} title="Kontak baru">
        <form
          className={styles['form']}
          onSubmit={(event) => {
            event.preventDefault();
            setSent(sent + 1);
          }}
        >
          <HomeTelephoneField label="Nomor kontak" value={to} onChange={setTo} />
          <Button type="submit">Simpan</Button>
        </form>
      </Modal>
      <Emitted of="Contact">{`${to}, saved ${sent} times`}</Emitted>
    </div>
  );
}

type SampleProps = TelephoneOptions & {
  label: string;
  first?: string;
  disabled?: boolean;
  error?: string;
  size?: 'sm' | 'md' | 'lg' | 'xl';
};

function Sample({ first = '', ...props }: SampleProps) {
  const [phone, setPhone] = useState(first);
  return (
    <div className={styles['column']}>
      <TelephoneField {...props} value={phone} onChange={setPhone} />
      <Emitted of={`${props.label}, digits`}>{phone}</Emitted>
    </div>
  );
}

const Demo = () => (
  <>
    <Show title="Plain, as specified">
      <Plain />
    </Show>
    <Show title="On our screens">
      <Home />
    </Show>
    <Show title="On the sign-in pages">
      <Own />
    </Show>
    <Show title="With a number">
      <Sample label="Kantor Singapura" country="id" first="6591234567" />
      <Sample label="Kantor Toronto" country="id" first="14165551234" />
    </Show>
    <Show title="Without a country">
      <Sample label="Nomor mana saja" country="" />
    </Show>
    <Show title="Chosen countries">
      <Sample
        label="Nomor di ASEAN"
        country="id"
        onlyCountries={['bn', 'id', 'kh', 'la', 'mm', 'my', 'ph', 'sg', 'th', 'tl', 'vn']}
        preferredCountries={['id', 'my', 'sg']}
        enableSearch
      />
    </Show>
    <Show title="The dial code stays">
      <Sample
        label="Nomor Indonesia"
        country="id"
        countryCodeEditable={false}
        first="62812345678"
      />
    </Show>
    <Show title="Without the dial code">
      <Sample label="Nomor nasional" country="us" disableCountryCode />
    </Show>
    <Show title="Long numbers">
      <Sample label="Nomor panjang" country="id" enableLongNumbers />
    </Show>
    <Show title="In a dialog">
      <InDialog />
    </Show>
    <Show title="Wrong">
      <Sample label="Nomor toko" country="id" first="628123" error="Nomor ini sudah terdaftar." />
    </Show>
    <Show title="Disabled">
      <Sample label="Nomor lama" country="id" first="6281234567890" disabled />
    </Show>
    <Show title="Sizes">
      {(['sm', 'md', 'lg', 'xl'] as const).map((size) => (
        <Sample key={size} label={`Nomor ${size}`} size={size} country="id" first="62812345678" />
      ))}
    </Show>
  </>
);

export const piece: Piece = {
  id: 'telephone-field',
  title: 'TelephoneField',
  about:
    'A telephone number of any country: guessed from its digits or picked from the list, and grouped while it is typed. HomeTelephoneField is the one of our screens: Indonesia first, in Indonesian. PhoneField is the light one of the sign-in pages, for one’s own Indonesian number.',
  props: [
    { name: 'value', type: 'string', about: "Digits with the country in front; '' when empty." },
    {
      name: 'onChange',
      type: '(digits, { name, dialCode, countryCode, format }, event, formatted) => void',
      about: 'After every change; HomeTelephoneField and PhoneField tell the digits only.',
    },
    {
      name: 'country',
      type: 'string',
      default: "'fr'",
      about:
        'ISO code of the country while the digits tell none; HomeTelephoneField starts with id.',
    },
    {
      name: 'validate',
      type: 'string',
      about: 'Shown once the field was touched, as long as the number is empty or too short.',
    },
    {
      name: 'verify',
      type: '(digits) => Promise<string | undefined>',
      about: 'Asked when the field is left; realNumber knows the numbering plans of all countries.',
    },
    { name: 'label', type: 'ReactNode', default: 'specialLabel', about: 'As for every field.' },
    {
      name: 'specialLabel',
      type: 'string',
      default: "'Phone'",
      about: 'The label of last resort.',
    },
    {
      name: 'placeholder',
      type: 'string',
      default: "'1 (702) 123-4567'",
      about: 'Gone while the field has the focus.',
    },
    {
      name: 'enableSearch',
      type: 'boolean',
      default: 'false',
      about: 'A search box above the list; without it, typing jumps to a name.',
    },
    {
      name: 'searchPlaceholder',
      type: 'string',
      default: "'search'",
      about: 'In the search box, and its name.',
    },
    {
      name: 'searchNotFound',
      type: 'string',
      default: "'No entries to show'",
      about: 'Where a search finds nothing.',
    },
    { name: 'prefix', type: 'string', default: "'+'", about: 'In front of the dial code.' },
    { name: 'autoFormat', type: 'boolean', default: 'true', about: 'Groups digits by the mask.' },
    {
      name: 'masks',
      type: 'Record<string, string>',
      about: 'National masks by ISO code, in place of those of the table.',
    },
    {
      name: 'countryCodeEditable',
      type: 'boolean',
      default: 'true',
      about: 'Whether the dial code can be typed over.',
    },
    {
      name: 'disableCountryCode',
      type: 'boolean',
      default: 'false',
      about: 'The field holds the national part only.',
    },
    {
      name: 'enableLongNumbers',
      type: 'boolean | number',
      default: 'false',
      about: 'More than 15 digits: any number of them, or that many.',
    },
    {
      name: 'enableAreaCodes',
      type: 'boolean | readonly string[]',
      default: 'false',
      about: 'Lists areas as well: of all countries, or of some.',
    },
    {
      name: 'onlyCountries, excludeCountries, preferredCountries, regions',
      type: 'readonly string[]',
      default: '[]',
      about: 'Which countries there are, and which stand first.',
    },
    {
      name: 'jumpCursorToEnd',
      type: 'boolean',
      default: 'true',
      about: 'The caret goes to the end when the field gets the focus.',
    },
    {
      name: 'copyNumbersOnly',
      type: 'boolean',
      default: 'true',
      about: 'Copies the digits without what groups them.',
    },
    {
      name: 'enableClickOutside',
      type: 'boolean',
      default: 'true',
      about: 'A press beside the list closes it.',
    },
  ],
  Demo,
};
