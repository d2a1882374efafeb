import { useState } from 'react';
import { checkWith } from '#web/ui/form/formRules.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import styles from '#stories/gallery/fields.module.css';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import { CheckboxGroup } from '#web/ui/form/CheckboxGroup.tsx';
import { CurrencyField } from '#web/ui/money/CurrencyField.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { TimeSelect } from '#web/ui/time/TimeSelect.tsx';

type Values = {
  shop: string;
  code: string;
  city: string;
  amount: number | undefined;
  from: string;
  to: string;
  days: readonly string[];
  agree: boolean;
};
const empty: Values = {
  shop: '',
  code: '',
  city: '',
  amount: undefined,
  from: '08:00:00',
  to: '',
  days: [],
  agree: false,
};
const cities = ['Bandung', 'Jakarta', 'Surabaya'].map((label) => ({ value: label, label }));
const days = ['Senin', 'Selasa', 'Rabu'].map((label) => ({ value: label, label }));

const check = checkWith<Values>({
  shop: {
    required: 'Tulis nama usaha Anda.',
    minLength: { value: 3, message: 'Nama usaha minimal 3 karakter.' },
    maxLength: 30,
  },
  code: {
    pattern: { value: /^[A-Z]{2}-\d{3}$/, message: 'Tulis seperti KB-123.' },
    validate: {
      known: (code) => code !== 'KB-000' || 'Kode ini sudah tidak berlaku.',
    },
  },
  city: { required: 'Pilih kota.' },
  amount: {
    required: 'Tulis jumlahnya.',
    min: { value: 10_000, message: 'Minimal Rp 10.000.' },
    max: 5_000_000,
  },
  to: { validate: (to, { from }) => to === '' || to > from || 'Tutup harus setelah buka.' },
  days: { required: 'Pilih minimal satu hari.' },
  agree: { required: 'Setujui syaratnya untuk melanjutkan.' },
});

function Demo() {
  const form = useForm(empty, check);
  const [sent, setSent] = useState<Values>();
  return (
    <Show title="Every rule in one form">
      <form
        ref={form.ref}
        noValidate
        className={styles['form']}
        aria-label="Daftarkan cabang"
        onSubmit={form.submit(setSent)}
      >
        <Fields form={form} />
        <Button type="submit">Daftarkan</Button>
      </form>
      <Emitted of="Sent">{sent ? JSON.stringify(sent) : 'nothing'}</Emitted>
    </Show>
  );
}

function Fields({ form }: { form: ReturnType<typeof useForm<Values>> }) {
  const { values, errors, set, leave } = form;
  return (
    <>
      <TextField
        label="Nama cabang"
        required
        value={values.shop}
        error={errors.shop}
        onChange={({ target }) => set('shop', target.value)}
        onBlur={() => leave('shop')}
      />
      <TextField
        label="Kode rujukan"
        help="Bila ada."
        value={values.code}
        error={errors.code}
        onChange={({ target }) => set('code', target.value)}
        onBlur={() => leave('code')}
      />
      <Select
        label="Kota"
        required
        placeholder="Pilih kota"
        options={cities}
        value={values.city}
        error={errors.city}
        onChange={({ target }) => set('city', target.value)}
      />
      <CurrencyField
        label="Modal kas"
        required
        value={values.amount}
        error={errors.amount}
        onChange={(amount) => set('amount', amount)}
        onBlur={() => leave('amount')}
      />
      <TimeSelect label="Buka" value={values.from} onChange={(time) => set('from', time)} />
      <TimeSelect
        label="Tutup"
        value={values.to}
        error={errors.to}
        onChange={(time) => set('to', time)}
        placeholder="Pilih jam tutup"
      />
      <CheckboxGroup
        legend="Hari kerja"
        required
        options={days}
        value={values.days}
        error={errors.days}
        onChange={(chosen) => set('days', chosen)}
      />
      <Checkbox
        label="Saya menyetujui syarat cabang"
        required
        checked={values.agree}
        error={errors.agree}
        onChange={({ target }) => set('agree', target.checked)}
      />
    </>
  );
}

export const piece: Piece = {
  id: 'form-rules',
  title: 'Form rules',
  about:
    'How a form judges its fields: useForm with checkWith(rules, schema). A field is judged when it is left, then while it changes, all of them when the form is sent; the first wrong one takes the focus. The rules are those of react-hook-form, in its order: required, min and max, minLength and maxLength, pattern, validate; an empty value meets required and validate only.',
  props: [
    {
      name: 'required',
      type: 'boolean | string',
      about: "A sentence stands for true. ' ' is a value; false and an empty list are none.",
    },
    { name: 'min, max', type: 'number | string', about: 'Numbers, dates, times.' },
    {
      name: 'minLength, maxLength',
      type: 'number',
      about: "UTF-16 units, as the browser's own attributes count.",
    },
    { name: 'pattern', type: 'RegExp', about: 'For texts.' },
    {
      name: 'validate',
      type: '(value, values) => string | boolean | undefined',
      about: 'A sentence or false refuses; several by name: the first that refuses is told.',
    },
    {
      name: '{ value, message }',
      type: 'around any of them',
      about: 'The sentence for this rule; without one a plain Indonesian sentence is told.',
    },
  ],
  Demo,
};
