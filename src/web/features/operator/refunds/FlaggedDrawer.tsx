import type { FlaggedPayment } from '#contract/operator/refunds.ts';
import { topupStatusLabel } from '#contract/saldo.ts';
import styles from '#web/features/operator/desk/desk.module.css';
import { wayNames } from '#web/features/operator/desk/wayNames.ts';
import { GiveBack } from '#web/features/operator/refunds/GiveBack.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Facts } from '#web/ui/panel/Panel.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type Props = { payment: FlaggedPayment; onClose: () => void };

/** A payment that its gateway gave back or disputes, and what to do about it. */
export function FlaggedDrawer({ payment, onClose }: Props) {
  const gateway = wayNames[payment.provider] ?? payment.provider;
  return (
    <Drawer open onClose={onClose} title={payment.account_name}>
      <div className={styles['drawer']}>
        <Facts
          facts={[
            { term: 'Jumlah', is: <Money amount={payment.total} /> },
            { term: 'Masuk ke saldo', is: <Money amount={payment.credited} /> },
            { term: 'Lewat', is: gateway },
            { term: 'Status', is: topupStatusLabel[payment.status] },
            { term: 'Ditandai', is: <DateTime at={payment.at} /> },
            { term: 'Isi saldo', is: <span className={styles['hash']}>{payment.topup_id}</span> },
          ]}
        />
        {payment.status === 'paid' ? (
          <>
            <p className={styles['note']}>
              Periksa dulu di dasbor {gateway}. Bila seluruhnya sudah kembali ke pembayar,
              kembalikan pembayarannya di sini: saldo dikurangi, dan gerbang tidak membayar lagi.
              Bila hanya sebagian, sesuaikan saldonya di Pelanggan & penyesuaian. Bila masih
              sengketa, tunggu keputusannya.
            </p>
            <GiveBack topup={{ ...payment, id: payment.topup_id }} onDone={onClose} />
          </>
        ) : (
          <p className={styles['note']}>
            Saldonya belum bertambah. Periksa di dasbor {gateway}, lalu tolak isi saldo ini di
            halaman Isi saldo.
          </p>
        )}
      </div>
    </Drawer>
  );
}
