import { setPpn } from '#contract/operator/books.ts';
import styles from '#web/features/operator/form/form.module.css';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { fromWords, rateWords } from '#web/features/operator/prices/priceWords.ts';
import { instantOf } from '#web/features/operator/form/moment.ts';
import { FromField } from '#web/features/operator/prices/FromField.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

const parts = [
  { name: 'num', label: 'Tarif, pembilang' },
  { name: 'den', label: 'Tarif, penyebut' },
  { name: 'dpp_num', label: 'DPP, pembilang' },
  { name: 'dpp_den', label: 'DPP, penyebut' },
] as const;

export function PpnForm({ onDone }: { onDone: () => void }) {
  const { form, onSubmit } = useOperatorForm(setPpn, {
    initial: { num: '12', den: '100', dpp_num: '11', dpp_den: '12', valid_from: '', reason: '' },
    inputOf: ({ valid_from, ...rate }) => {
      const from = instantOf(valid_from);
      return { ...rate, ...(from !== undefined && { valid_from: from }) };
    },
    question: ({ valid_from, ...rate }) => ({
      title: 'Ubah tarif PPN?',
      text: `Isi saldo yang dibuat mulai ${fromWords(valid_from)} dikenai ${rateWords(rate)} nominalnya. Isi saldo yang sudah dibuat tetap dengan PPN-nya.`,
      button: 'Ubah tarif',
    }),
    said: () => 'Tarif PPN disimpan.',
    onDone,
  });
  const { values, errors } = form;
  return (
    <OperatorForm form={form} onSubmit={onSubmit} actions={<Button type="submit">Simpan</Button>}>
      <div className={styles['pair']}>
        {parts.map(({ name, label }) => (
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
        <FromField form={form} />
      </div>
    </OperatorForm>
  );
}
