import { type FlaggedPayment, settleFlag } from '#contract/operator/payments.ts';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { Button } from '#web/ui/button/Button.tsx';

type Props = { payment: FlaggedPayment; onDone: () => void };

export function SettleFlag({ payment, onDone }: Props) {
  const { form, onSubmit } = useOperatorForm(settleFlag, {
    initial: { reason: '' },
    inputOf: ({ reason }) => ({
      topup_id: payment.topup_id,
      flagged_at: payment.at.toISOString(),
      reason,
    }),
    question: () => ({
      title: 'Tandai penarikan ini selesai?',
      text: 'Tidak ada uang yang berpindah. Penarikan ini hilang dari daftar; bila gerbangnya menarik lagi, ia tampil kembali.',
      button: 'Tandai selesai',
    }),
    said: () => 'Penarikan ditandai selesai.',
    onDone,
  });
  return (
    <OperatorForm
      form={form}
      onSubmit={onSubmit}
      actions={
        <Button type="submit" variant="outline">
          Tandai selesai
        </Button>
      }
    />
  );
}
