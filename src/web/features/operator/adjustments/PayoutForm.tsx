import { isolated } from '#contract/base/names.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { payOut } from '#contract/operator/books.ts';
import {
  type CustomerForm,
  proposalResult,
} from '#web/features/operator/adjustments/customerForm.ts';
import { AmountField } from '#web/features/operator/form/AmountField.tsx';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { TransferFields } from '#web/features/operator/form/TransferFields.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { Button } from '#web/ui/button/Button.tsx';

export function PayoutForm({ customer, onDone }: CustomerForm) {
  const { form, onSubmit } = useOperatorForm(payOut, {
    initial: { amount: '', reference: '', payee: '', reason: '' },
    inputOf: (values) => ({ account_id: customer.account_id, ...values }),
    question: ({ amount, payee }) => ({
      title: 'Bukukan pencairan ini?',
      text: `Saldo ${isolated(customer.name)} berkurang ${formatRupiah(Number(amount))} untuk transfer ke rekening atas nama ${payee}.`,
      button: 'Bukukan',
    }),
    said: proposalResult,
    onDone,
  });
  return (
    <OperatorForm form={form} onSubmit={onSubmit} actions={<Button type="submit">Lanjut</Button>}>
      <AmountField
        form={form}
        label="Nominal"
        name="amount"
        required
        indonesianSuffixes
        help={`Paling banyak saldo yang tersedia: ${formatRupiah(customer.available)}.`}
      />
      <TransferFields form={form} payeeHelp="Harus nama yang sama dengan pelanggan ini." />
    </OperatorForm>
  );
}
