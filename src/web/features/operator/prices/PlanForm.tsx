import { type PlanDetails, savePlan } from '#contract/operator/books.ts';
import { AmountField } from '#web/features/operator/form/AmountField.tsx';
import styles from '#web/features/operator/form/form.module.css';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import type { Form } from '#web/ui/form/useForm.ts';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

const texts = [
  { name: 'name', label: 'Nama paket', required: true },
  { name: 'description', label: 'Keterangan', required: false },
] as const;
const counts = [
  { name: 'tokens', label: 'Token' },
  { name: 'quota', label: 'Pesan sebulan' },
] as const;
const prices = [
  { name: 'price', label: 'Harga sebulan' },
  { name: 'overage', label: 'Harga pesan di luar kuota' },
] as const;

const initialOf = (plan: PlanDetails | undefined) => ({
  code: plan?.code ?? '',
  name: plan?.name ?? '',
  description: plan?.description ?? '',
  price: String(plan?.price ?? ''),
  tokens: String(plan?.tokens ?? ''),
  quota: String(plan?.quota ?? ''),
  overage: String(plan?.overage ?? ''),
  is_offered: plan?.is_offered ?? true,
  reason: '',
});

type Values = ReturnType<typeof initialOf>;

type Props = { plan: PlanDetails | undefined; onDone: () => void };

export function PlanForm({ plan, onDone }: Props) {
  const { form, onSubmit } = useOperatorForm(savePlan, {
    initial: initialOf(plan),
    inputOf: ({ is_offered, ...values }) => ({
      ...values,
      offered: is_offered ? ('yes' as const) : ('no' as const),
    }),
    question: ({ name }) => ({
      title: plan ? 'Simpan revisi baru?' : 'Buat paket ini?',
      text: plan
        ? `Yang mulai atau memperpanjang paket ${name} sejak sekarang memakai revisi ini. Pelanggan lain tetap dengan revisinya sampai perpanjangan.`
        : `Paket ${name} dapat dipilih pelanggan sejak sekarang, bila ditawarkan.`,
      button: 'Simpan',
    }),
    said: ({ revision }) => `Disimpan sebagai revisi ${revision}.`,
    onDone,
  });
  const { values, errors } = form;
  return (
    <OperatorForm form={form} onSubmit={onSubmit} actions={<Button type="submit">Simpan</Button>}>
      <TextField
        label="Kode"
        name="code"
        required
        readOnly={plan !== undefined}
        help="Huruf kecil, angka, dan tanda hubung; tidak dapat diubah lagi."
        value={values.code}
        error={errors.code}
        onChange={(event) => form.set('code', event.target.value)}
        onBlur={() => form.leave('code')}
      />
      <PlanFields form={form} />
      <Checkbox
        label="Ditawarkan kepada pelanggan"
        name="is_offered"
        checked={values.is_offered}
        onChange={(event) => form.set('is_offered', event.target.checked)}
      />
    </OperatorForm>
  );
}

const PlanFields = ({ form }: { form: Form<Values> }) => {
  const { values, errors } = form;
  return (
    <>
      {texts.map(({ name, label, required }) => (
        <TextField
          key={name}
          label={label}
          name={name}
          required={required}
          value={values[name]}
          error={errors[name]}
          onChange={(event) => form.set(name, event.target.value)}
          onBlur={() => form.leave(name)}
        />
      ))}
      <div className={styles['pair']}>
        {prices.map(({ name, label }) => (
          <AmountField form={form} key={name} label={label} name={name} required />
        ))}
        {counts.map(({ name, label }) => (
          <TextField
            key={name}
            label={label}
            name={name}
            required
            inputMode="numeric"
            value={values[name]}
            error={errors[name]}
            onChange={(event) => form.set(name, event.target.value)}
            onBlur={() => form.leave(name)}
          />
        ))}
      </div>
    </>
  );
};
