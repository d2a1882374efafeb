import { formatRupiah } from '#contract/base/money.ts';
import { payOut } from '#contract/operator/desk.ts';
import {
  type CustomerForm,
  amountOf,
  saidOf,
} from '#web/features/operator/adjustments/customerForm.ts';
import styles from '#web/features/operator/desk/desk.module.css';
import { ReasonField } from '#web/features/operator/desk/ReasonField.tsx';
import { TransferFields } from '#web/features/operator/desk/TransferFields.tsx';
import { useDeskForm } from '#web/features/operator/desk/useDeskForm.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { CurrencyField } from '#web/ui/money/CurrencyField.tsx';

/** Unused saldo to the customer's own bank account. */
export function PayoutForm({ customer, onDone }: CustomerForm) {
  const { form, onSubmit } = useDeskForm(payOut, {
    initial: { amount: '', reference: '', payee: '', reason: '' },
    inputOf: (values) => ({ account_id: customer.account_id, ...values }),
    question: ({ amount, payee }) => ({
      title: 'Bukukan pencairan ini?',
      text: `Saldo ${customer.name} berkurang ${formatRupiah(Number(amount))} untuk transfer ke rekening atas nama ${payee}.`,
      button: 'Bukukan',
    }),
    said: saidOf,
    onDone,
  });
  const { values, errors } = form;
  return (
    <form ref={form.ref} noValidate className={styles['form']} onSubmit={onSubmit}>
      <CurrencyField
        label="Nominal"
        name="amount"
        required
        indonesianSuffixes
        help={`Paling banyak saldo yang tersedia: ${formatRupiah(customer.available)}.`}
        value={amountOf(values.amount)}
        error={errors.amount}
        onChange={(amount) => form.set('amount', amount === undefined ? '' : String(amount))}
        onBlur={() => form.leave('amount')}
      />
      <TransferFields
        values={values}
        errors={errors}
        onChange={(name, value) => form.set(name, value)}
        onBlur={form.leave}
        payeeHelp="Harus nama yang sama dengan pelanggan ini."
      />
      <ReasonField
        value={values.reason}
        error={errors.reason}
        onChange={(reason) => form.set('reason', reason)}
        onBlur={() => form.leave('reason')}
      />
      <div className={styles['actions']}>
        <Button type="submit">Lanjut</Button>
      </div>
    </form>
  );
}
