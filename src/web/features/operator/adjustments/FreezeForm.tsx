import { isolated } from '#contract/base/names.ts';
import { freezeWallet } from '#contract/operator/customers.ts';
import type { CustomerForm } from '#web/features/operator/adjustments/customerForm.ts';
import styles from '#web/features/operator/form/form.module.css';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { Button } from '#web/ui/button/Button.tsx';

export function FreezeForm({ customer, onDone }: CustomerForm) {
  const frozen = customer.status === 'frozen';
  const { form, onSubmit } = useOperatorForm(freezeWallet, {
    initial: { reason: '' },
    inputOf: ({ reason }) => ({
      account_id: customer.account_id,
      becomes: frozen ? ('active' as const) : ('frozen' as const),
      reason,
    }),
    question: () => ({
      title: frozen ? 'Buka pembekuan saldo?' : 'Bekukan saldo?',
      text: frozen
        ? `${isolated(customer.name)} dapat mengirim dan mengisi saldo lagi.`
        : `${isolated(customer.name)} tidak dapat mengirim pesan baru atau mengisi saldo. Pesan yang sudah diterima tetap dikirim.`,
      button: frozen ? 'Buka' : 'Bekukan',
      ...(!frozen && { tone: 'danger' }),
    }),
    said: ({ status }) => (status === 'frozen' ? 'Saldo dibekukan.' : 'Pembekuan dibuka.'),
    onDone,
  });
  return (
    <OperatorForm
      form={form}
      onSubmit={onSubmit}
      actions={
        <Button type="submit" tone={frozen ? 'primary' : 'danger'}>
          {frozen ? 'Buka pembekuan' : 'Bekukan saldo'}
        </Button>
      }
    >
      <p className={styles['note']}>
        {frozen
          ? 'Saldo ini sedang dibekukan: tidak ada pesan baru, isi saldo baru, atau pencairan.'
          : 'Pembekuan menghentikan pesan baru, isi saldo baru, dan pencairan. Saldonya tetap.'}
      </p>
    </OperatorForm>
  );
}
