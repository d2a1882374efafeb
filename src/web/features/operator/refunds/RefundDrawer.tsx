import { isolated } from '#contract/base/names.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { type OpenRefund, finishRefund } from '#contract/operator/payments.ts';
import styles from '#web/features/operator/form/form.module.css';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { Missing } from '#web/features/operator/refunds/Missing.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Facts } from '#web/ui/panel/Panel.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type Props = {
  /** `undefined` while it loads, and once it is done. */
  refund: OpenRefund | undefined;
  loading: boolean;
  onClose: () => void;
};

export const RefundDrawer = ({ refund, loading, onClose }: Props) => (
  <Drawer addressed open onClose={onClose} title={refund?.account_name ?? 'Pengembalian dana'}>
    {refund ? (
      <Refund refund={refund} onClose={onClose} />
    ) : (
      <Missing loading={loading}>Pengembalian ini sudah selesai, atau ada di halaman lain.</Missing>
    )}
  </Drawer>
);

type RefundProps = { refund: OpenRefund; onClose: () => void };

const Refund = ({ refund, onClose }: RefundProps) => (
  <div className={styles['drawer']}>
    <Facts
      facts={[
        { term: 'Jumlah', is: <Money amount={refund.amount} /> },
        { term: 'Sejak', is: <DateTime at={refund.since} /> },
        { term: 'Oleh', is: refund.operator },
        { term: 'Isi saldo', is: <span className={styles['hash']}>{refund.topup_id}</span> },
        { term: 'Nomor', is: <span className={styles['hash']}>{refund.id}</span> },
      ]}
    />
    {refund.way === 'manual' ? (
      <Finish refund={refund} onClose={onClose} />
    ) : (
      <p className={styles['note']}>
        Gerbang pembayaran belum menjawab dan ditanya lagi setiap menit. Jangan transfer manual:
        uangnya akan kembali dua kali.
      </p>
    )}
  </div>
);

function Finish({ refund, onClose }: RefundProps) {
  const { form, onSubmit } = useOperatorForm(finishRefund, {
    initial: { reference: '' },
    inputOf: ({ reference }) => ({ refund_id: refund.id, reference }),
    question: () => ({
      title: 'Catat pengembalian selesai?',
      text: `${formatRupiah(refund.amount)} dicatat sudah ditransfer ke pembayar ${isolated(refund.account_name)}.`,
      button: 'Catat',
    }),
    said: () => 'Pengembalian dicatat selesai.',
    onDone: onClose,
  });
  return (
    <form ref={form.ref} noValidate className={styles['form']} onSubmit={onSubmit}>
      <TextField
        label="Referensi transfer dari bank"
        name="reference"
        required
        autoComplete="off"
        maxLength={100}
        help="Transfer dulu di bank ke rekening pembayar, lalu tulis referensinya."
        value={form.values.reference}
        error={form.errors.reference}
        onChange={(event) => form.set('reference', event.target.value)}
        onBlur={() => form.leave('reference')}
      />
      <div className={styles['actions']}>
        <Button type="submit">Sudah ditransfer</Button>
      </div>
    </form>
  );
}
