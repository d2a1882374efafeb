import { useState } from 'react';
import styles from '#stories/gallery/fields.module.css';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { CurrencyField } from '#web/ui/money/CurrencyField.tsx';

const shown = (amount: number | undefined) => amount ?? 'none';

function Demo() {
  const [amount, setAmount] = useState<number>();
  const [emitted, setEmitted] = useState('');
  const [topup, setTopup] = useState<number | undefined>(250_000);
  const [price, setPrice] = useState<number | undefined>(95_000);
  return (
    <>
      <Show title="Plain">
        <div className={styles['column']}>
          <CurrencyField
            label="Jumlah"
            name="amount"
            required
            help="Boleh ditulis singkat: 50k atau 1,5m."
            value={amount}
            onChange={setAmount}
            onValueChange={(value, name, { float, formatted }) =>
              setEmitted(JSON.stringify([value ?? 'undefined', name, float, formatted]))
            }
          />
          <Emitted of="Amount">{shown(amount)}</Emitted>
          <Emitted of="As the library tells it">{emitted}</Emitted>
        </div>
      </Show>
      <Show title="Quick amounts">
        <div className={styles['column']}>
          <CurrencyField
            label="Nominal isi saldo"
            size="xl"
            quick={[50_000, 100_000, 250_000, 500_000, 1_000_000]}
            value={topup}
            onChange={setTopup}
          />
          <Emitted of="Top-up">{shown(topup)}</Emitted>
        </div>
      </Show>
      <Show title="Steps by arrow, within limits">
        <div className={styles['column']}>
          <CurrencyField
            label="Harga paket"
            step={10_000}
            min={50_000}
            max={120_000}
            value={price}
            onChange={setPrice}
          />
          <Emitted of="Price">{shown(price)}</Emitted>
        </div>
      </Show>
      <More />
    </>
  );
}

function More() {
  const [budget, setBudget] = useState<number>();
  const [rate, setRate] = useState<number | undefined>(150.5);
  return (
    <>
      <Show title="Indonesian suffixes">
        <div className={styles['column']}>
          <CurrencyField
            label="Anggaran"
            indonesianSuffixes
            help="Boleh ditulis singkat: 50rb, 1,5jt atau 2miliar."
            value={budget}
            onChange={setBudget}
          />
          <Emitted of="Budget">{shown(budget)}</Emitted>
        </div>
      </Show>
      <Show title="Two decimals">
        <div className={styles['column']}>
          <CurrencyField label="Tarif per pesan" decimals={2} value={rate} onChange={setRate} />
          <Emitted of="Rate">{shown(rate)}</Emitted>
        </div>
      </Show>
      <Show title="Error and disabled">
        <div className={styles['column']}>
          <CurrencyField
            label="Jumlah transfer"
            error="Minimal Rp 10.000."
            value={5_000}
            onChange={() => {}}
          />
          <CurrencyField
            label="Sisa tagihan"
            disabled
            quick={[75_000, 150_000]}
            value={75_000}
            onChange={() => {}}
          />
        </div>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'currency-field',
  title: 'CurrencyField',
  about:
    'Rupiah as they are typed: 1.250.000, and 50k, 1,5m, 2b for the long ones. From one million on the amount also stands in words under the field. A pasted 1,500,000.50 is read as it was meant.',
  props: [
    {
      name: 'value',
      type: 'number | undefined',
      about: 'Rupiah, whole unless decimals says otherwise; undefined when empty.',
    },
    {
      name: 'onChange',
      type: '(amount: number | undefined) => void',
      about: 'Called with each change.',
    },
    {
      name: 'onValueChange',
      type: '(value, name, { float, formatted, value }) => void',
      about: "The library's own way of telling, its text with a comma.",
    },
    {
      name: 'step, min, max',
      type: 'number',
      about: 'What an arrow key adds or takes, and how far the arrows go; typing goes further.',
    },
    {
      name: 'maxLength',
      type: 'number',
      default: '15',
      about: 'How many digits can be typed; a longer input is ignored.',
    },
    {
      name: 'decimals',
      type: 'number',
      default: '0',
      about: 'How many decimals are kept when the field is left.',
    },
    {
      name: 'indonesianSuffixes',
      type: 'boolean',
      default: 'false',
      about: 'Also takes rb, ribu, jt, juta, mlr, miliar; m stays a million.',
    },
    {
      name: 'placeholder',
      type: 'string',
      about: 'Instead of 000.000, where the label is hidden.',
    },
    { name: 'quick', type: 'readonly number[]', about: 'Amounts to be chosen by one press.' },
  ],
  Demo,
};
