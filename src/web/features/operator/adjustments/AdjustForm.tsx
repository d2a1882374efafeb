import { isolated } from '#contract/base/names.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { AdjustCause, adjustCauseLabel, adjustSaldo } from '#contract/operator/books.ts';
import {
  type CustomerForm,
  proposalResult,
} from '#web/features/operator/adjustments/customerForm.ts';
import { AmountField } from '#web/features/operator/form/AmountField.tsx';
import styles from '#web/features/operator/form/form.module.css';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Select } from '#web/ui/select/Select.tsx';

const directions = [
  { value: 'add', label: 'Tambah saldo' },
  { value: 'subtract', label: 'Kurangi saldo' },
];

const causes = AdjustCause().options.map((cause) => ({
  value: cause,
  label: adjustCauseLabel[cause],
}));

const start: Readonly<Record<'direction' | 'amount' | 'cause' | 'reason', string>> = {
  direction: 'add',
  amount: '',
  cause: 'goodwill',
  reason: '',
};

export function AdjustForm({ customer, onDone }: CustomerForm) {
  const { form, onSubmit } = useOperatorForm(adjustSaldo, {
    initial: start,
    inputOf: ({ direction, amount, cause, reason }) => ({
      account_id: customer.account_id,
      direction: direction === 'subtract' ? ('subtract' as const) : ('add' as const),
      amount,
      cause: cause === 'correction' ? ('correction' as const) : ('goodwill' as const),
      reason,
    }),
    question: ({ direction, amount }) => ({
      title: direction === 'add' ? 'Tambah saldo?' : 'Kurangi saldo?',
      text: `Saldo ${isolated(customer.name)} ${direction === 'add' ? 'bertambah' : 'berkurang'} ${formatRupiah(Number(amount))}. Pelanggan melihatnya sebagai mutasi baru. Nominal besar baru dibukukan setelah disetujui operator lain.`,
      button: direction === 'add' ? 'Tambah' : 'Kurangi',
    }),
    said: proposalResult,
    onDone,
  });
  const { values, errors } = form;
  return (
    <OperatorForm form={form} onSubmit={onSubmit} actions={<Button type="submit">Lanjut</Button>}>
      <div className={styles['pair']}>
        <Select
          label="Arah"
          name="direction"
          options={directions}
          value={values.direction}
          error={errors.direction}
          onChange={({ target }) => form.set('direction', target.value)}
        />
        <Select
          label="Dibukukan sebagai"
          name="cause"
          options={causes}
          value={values.cause}
          error={errors.cause}
          onChange={({ target }) => form.set('cause', target.value)}
        />
      </div>
      <AmountField
        form={form}
        label="Nominal"
        name="amount"
        required
        indonesianSuffixes
        help="Nominal besar harus disetujui operator lain."
      />
    </OperatorForm>
  );
}
