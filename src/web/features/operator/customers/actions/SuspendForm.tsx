import { isolated } from '#contract/base/names.ts';
import { suspendCustomer } from '#contract/operator/customers.ts';
import type { CustomerForm } from '#web/features/operator/adjustments/customerForm.ts';
import styles from '#web/features/operator/form/form.module.css';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { Button } from '#web/ui/button/Button.tsx';

export function SuspendForm({ customer, onDone }: CustomerForm) {
  const isSuspended = customer.state === 'suspended';
  const { form, onSubmit } = useOperatorForm(suspendCustomer, {
    initial: { reason: '' },
    inputOf: ({ reason }) => ({
      account_id: customer.account_id,
      becomes: isSuspended ? ('active' as const) : ('suspended' as const),
      reason,
    }),
    question: ({ reason }) => ({
      title: isSuspended ? 'Aktifkan kembali akun ini?' : 'Tangguhkan akun ini?',
      text: `${isolated(customer.name)} membaca alasan ini: “${reason}”`,
      button: isSuspended ? 'Aktifkan' : 'Tangguhkan',
      ...(!isSuspended && { tone: 'danger' }),
    }),
    said: ({ state }) => (state === 'suspended' ? 'Akun ditangguhkan.' : 'Akun aktif kembali.'),
    onDone,
  });
  return (
    <OperatorForm
      form={form}
      onSubmit={onSubmit}
      reasonHelp="Pelanggan membaca alasan ini saat masuk dan lewat pesan."
      actions={
        <Button type="submit" tone={isSuspended ? 'primary' : 'danger'}>
          {isSuspended ? 'Aktifkan kembali' : 'Tangguhkan akun'}
        </Button>
      }
    >
      <p className={styles['note']}>
        {isSuspended
          ? 'Pengiriman berlanjut, juga pesan yang menunggu dan belum kedaluwarsa.'
          : 'Semua sesi berakhir, API menolak pesan baru, dan tidak ada pesan yang dikirim. Pesan yang menunggu tetap tersimpan. Pelanggan masih dapat masuk untuk membaca alasannya dan menghubungi layanan pelanggan.'}
      </p>
    </OperatorForm>
  );
}
