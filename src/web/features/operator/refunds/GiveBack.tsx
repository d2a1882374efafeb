import { isolated } from '#contract/base/names.ts';
import { formatRupiah, type Rupiah } from '#contract/base/money.ts';
import { type Adjustment, paymentRefundLabel } from '#contract/operator/books.ts';
import { refundPayment } from '#contract/operator/payments.ts';
import { proposalResult } from '#web/features/operator/adjustments/customerForm.ts';
import styles from '#web/features/operator/form/form.module.css';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { Button } from '#web/ui/button/Button.tsx';

type Paid = { id: string; account_name: string; credited: Rupiah };
type Props = { topup: Paid; onDone: (given: Adjustment) => void };

/** The result: booked and refunded, or still to be transferred by hand. */
const refundResult = (given: Adjustment): string => {
  if (given.refund === null) return proposalResult(given);
  if (given.refund === 'manual') {
    return 'Sudah dibukukan. Transfer uangnya, lalu catat di Dana belum dikenali.';
  }
  return `Sudah dibukukan. ${paymentRefundLabel[given.refund]}.`;
};

export function GiveBack({ topup, onDone }: Props) {
  const { form, onSubmit } = useOperatorForm(refundPayment, {
    initial: { reason: '' },
    inputOf: ({ reason }) => ({ topup_id: topup.id, reason }),
    question: () => ({
      title: 'Kembalikan pembayaran ini?',
      text: `${formatRupiah(topup.credited)} keluar dari saldo ${isolated(topup.account_name)}, dan nota kredit diterbitkan untuk tagihannya. Tidak dapat dibatalkan setelah dibukukan.`,
      button: 'Kembalikan',
    }),
    said: refundResult,
    onDone,
  });
  return (
    <OperatorForm
      form={form}
      onSubmit={onSubmit}
      actions={
        <Button type="submit" variant="outline" tone="danger">
          Kembalikan pembayaran
        </Button>
      }
    >
      <p className={styles['note']}>
        Seluruh pembayaran kembali ke pembayar: {formatRupiah(topup.credited)} keluar dari saldo,
        dan nota kredit diterbitkan. Gerbang pembayaran mengembalikannya bila bisa; selain itu
        uangnya ditransfer manual. Nominal besar perlu operator kedua.
      </p>
    </OperatorForm>
  );
}
