import { isolated } from '#contract/base/names.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { payOut } from '#contract/operator/books.ts';
import {
  type CustomerForm,
  proposalResult,
} from '#web/features/operator/adjustments/customerForm.ts';
import { AmountField } from '#web/features/operator/desk/AmountField.tsx';
import { DeskForm } from '#web/features/operator/desk/DeskForm.tsx';
import { TransferFields } from '#web/features/operator/desk/TransferFields.tsx';
import { useDeskForm } from '#web/features/operator/desk/useDeskForm.ts';
import { Button } from '#web/ui/button/Button.tsx';

export function PayoutForm({ customer, onDone }: CustomerForm) {
  const { form, onSubmit } = useDeskForm(payOut, {
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
    <DeskForm form={form} onSubmit={onSubmit} actions={<Button type="submit">Lanjut</Button>}>
      <AmountField
        form={form}
        label="Nominal"
        name="amount"
        required
        indonesianSuffixes
        help={`Paling banyak saldo yang tersedia: ${formatRupiah(customer.available)}.`}
      />
      <TransferFields form={form} payeeHelp="Harus nama yang sama dengan pelanggan ini." />
    </DeskForm>
  );
}
