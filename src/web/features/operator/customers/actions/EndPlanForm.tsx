import { isolated } from '#contract/base/names.ts';
import { endCustomerPlan } from '#contract/operator/customers.ts';
import type { CustomerForm } from '#web/features/operator/adjustments/customerForm.ts';
import styles from '#web/features/operator/form/form.module.css';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Select } from '#web/ui/select/Select.tsx';

const refunds = [
  { value: 'yes', label: 'Kembalikan ke saldo' },
  { value: 'no', label: 'Tidak dikembalikan' },
];

export function EndPlanForm({ customer, onDone }: CustomerForm) {
  const name = customer.subscription?.name ?? '';
  const isPaid = customer.subscription?.status === 'active';
  const { form, onSubmit } = useOperatorForm(endCustomerPlan, {
    initial: { refund: isPaid ? 'yes' : 'no', reason: '' },
    inputOf: ({ refund, reason }) => ({
      account_id: customer.account_id,
      refund: refund === 'yes' ? ('yes' as const) : ('no' as const),
      reason,
    }),
    question: ({ refund }) => ({
      title: `Akhiri paket ${name} sekarang?`,
      text: `${isolated(customer.name)} beralih ke paket gratis sekarang. ${
        refund === 'yes'
          ? 'Harga untuk hari yang tersisa kembali ke saldonya.'
          : 'Tidak ada yang dikembalikan.'
      }`,
      button: 'Akhiri paket',
      tone: 'danger',
    }),
    said: () => `Paket ${name} diakhiri.`,
    onDone,
  });
  return (
    <OperatorForm
      form={form}
      onSubmit={onSubmit}
      actions={
        <Button type="submit" tone="danger">
          Akhiri paket
        </Button>
      }
    >
      {isPaid ? (
        <Select
          label="Hari yang tersisa"
          name="refund"
          options={refunds}
          value={form.values.refund}
          error={form.errors.refund}
          onChange={({ target }) => form.set('refund', target.value)}
        />
      ) : (
        <p className={styles['note']}>
          Periode ini belum dibayar: tagihannya dibatalkan, dan tidak ada yang dikembalikan.
        </p>
      )}
    </OperatorForm>
  );
}
