import { isolated } from '#contract/base/names.ts';
import { approveBonus } from '#contract/operator/payments.ts';
import type { CustomerForm } from '#web/features/operator/adjustments/customerForm.ts';
import styles from '#web/features/operator/form/form.module.css';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { Button } from '#web/ui/button/Button.tsx';

/** Lets a customer spend the welcome bonus on any number, before the first payment. */
export function BonusForm({ customer, onDone }: CustomerForm) {
  const { form, onSubmit } = useOperatorForm(approveBonus, {
    initial: { reason: '' },
    inputOf: ({ reason }) => ({ account_id: customer.account_id, reason }),
    question: () => ({
      title: 'Izinkan untuk semua nomor?',
      text: `${isolated(customer.name)} dapat memakai saldo bonusnya untuk mengirim ke nomor mana pun.`,
      button: 'Izinkan',
    }),
    said: () => 'Saldo bonus dapat dipakai untuk semua nomor.',
    onDone,
  });
  return (
    <OperatorForm
      form={form}
      onSubmit={onSubmit}
      actions={<Button type="submit">Izinkan untuk semua nomor</Button>}
    >
      <p className={styles['note']}>
        Batas saldo bonus berakhir dengan pembayaran pertama, atau bila Anda mengizinkannya.
      </p>
    </OperatorForm>
  );
}
