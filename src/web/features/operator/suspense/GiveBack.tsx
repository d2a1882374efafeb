import { formatRupiah, type Rupiah } from '#contract/base/money.ts';
import { isolated } from '#contract/base/names.ts';
import { type Adjustment, paymentRefundLabel } from '#contract/operator/books.ts';
import { refundPayment } from '#contract/operator/payments.ts';
import { OperatorForm, proposalResult } from '#web/features/operator/OperatorForm.tsx';

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

export const GiveBack = ({ topup, onDone }: Props) => (
  <OperatorForm
    act={refundPayment}
    initial={{ reason: '' }}
    inputOf={({ reason }) => ({ topup_id: topup.id, reason })}
    question={() => ({
      title: 'Kembalikan pembayaran ini?',
      text: `${formatRupiah(topup.credited)} keluar dari saldo ${isolated(topup.account_name)}, dan nota kredit diterbitkan untuk tagihannya. Tidak dapat dibatalkan setelah dibukukan.`,
      button: 'Kembalikan',
    })}
    said={refundResult}
    onDone={onDone}
    actions="Kembalikan pembayaran"
    look={{ variant: 'outline', tone: 'danger' }}
  >
    <p className="muted">
      Seluruh pembayaran kembali ke pembayar: {formatRupiah(topup.credited)} keluar dari saldo, dan
      nota kredit diterbitkan. Gerbang pembayaran mengembalikannya bila bisa; selain itu uangnya
      ditransfer manual. Nominal besar perlu operator kedua.
    </p>
  </OperatorForm>
);
