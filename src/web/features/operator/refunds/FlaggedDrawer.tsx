import { useState } from 'react';
import { rupiah } from '#contract/base/money.ts';
import type { FlaggedPayment } from '#contract/operator/payments.ts';
import { topupStatusLabel } from '#contract/saldo.ts';
import styles from '#web/features/operator/form/form.module.css';
import { paymentMethodLabels } from '#web/features/operator/form/paymentMethodLabels.ts';
import { GiveBack } from '#web/features/operator/refunds/GiveBack.tsx';
import { Missing } from '#web/features/operator/refunds/Missing.tsx';
import { SettleFlag } from '#web/features/operator/refunds/SettleFlag.tsx';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { type Fact, Facts } from '#web/ui/panel/Panel.tsx';
import { Tabs } from '#web/ui/tabs/Tabs.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type Props = {
  /** `undefined` while it loads, and once it is settled. */
  payment: FlaggedPayment | undefined;
  loading: boolean;
  onClose: () => void;
};

export const FlaggedDrawer = ({ payment, loading, onClose }: Props) => (
  <Drawer addressed open onClose={onClose} title={payment?.account_name ?? 'Ditarik di gerbang'}>
    {payment ? (
      <div className={styles['drawer']}>
        <Facts facts={factsOf(payment)} />
        <Acts payment={payment} onDone={onClose} />
      </div>
    ) : (
      <Missing loading={loading}>Penarikan ini sudah selesai, atau ada di halaman lain.</Missing>
    )}
  </Drawer>
);

const gatewayOf = ({ provider }: FlaggedPayment): string =>
  paymentMethodLabels[provider] ?? provider;

function factsOf(payment: FlaggedPayment): readonly Fact[] {
  const { kind, total, returned } = payment;
  const isPartly = kind === 'partly_refunded';
  const facts: readonly (Fact | false)[] = [
    { term: 'Jumlah', is: <Money amount={total} /> },
    { term: 'Masuk ke saldo', is: <Money amount={payment.credited} /> },
    isPartly && {
      term: 'Kembali ke pembayar',
      is: returned === null ? 'Sebagian, jumlahnya tidak disebut' : <Money amount={returned} />,
    },
    isPartly &&
      returned !== null && { term: 'Tersisa', is: <Money amount={rupiah(total - returned)} /> },
    { term: 'Lewat', is: gatewayOf(payment) },
    { term: 'Status', is: topupStatusLabel[payment.status] },
    { term: 'Ditandai', is: <DateTime at={payment.at} /> },
    { term: 'Isi saldo', is: <span className={styles['hash']}>{payment.topup_id}</span> },
  ];
  return facts.filter((fact) => fact !== false);
}

type ActsProps = { payment: FlaggedPayment; onDone: () => void };

function Acts({ payment, onDone }: ActsProps) {
  const gateway = gatewayOf(payment);
  if (payment.status !== 'paid') {
    return (
      <>
        <p className={styles['note']}>
          Saldonya belum bertambah. Periksa di dasbor {gateway}, lalu tolak isi saldo ini.
        </p>
        <div className={styles['actions']}>
          <LinkButton
            variant="outline"
            to="/operator/isi-saldo"
            search={{ open: payment.topup_id, status: 'review' }}
          >
            Buka isi saldo
          </LinkButton>
        </div>
      </>
    );
  }
  if (payment.kind === 'partly_refunded') {
    return (
      <>
        <p className={styles['note']}>
          Sebagian uangnya sudah kembali ke pembayar, jadi pembayaran ini tidak dapat dikembalikan
          seluruhnya. Periksa di dasbor {gateway}, sesuaikan saldonya di halaman pelanggannya, lalu
          tandai selesai.
        </p>
        <SettleFlag payment={payment} onDone={onDone} />
      </>
    );
  }
  return <OfWhole payment={payment} onDone={onDone} />;
}

function OfWhole({ payment, onDone }: ActsProps) {
  const [tab, setTab] = useState('kembali');
  return (
    <>
      <p className={styles['note']}>
        Periksa dulu di dasbor {gatewayOf(payment)}. Bila seluruhnya sudah kembali ke pembayar,
        kembalikan pembayarannya di sini: saldo dikurangi, dan gerbang tidak membayar lagi. Bila
        masih sengketa, tunggu keputusannya. Bila uangnya tetap pada kita, atau saldonya sudah
        disesuaikan, tandai selesai.
      </p>
      <Tabs
        label="Yang dilakukan dengan penarikan ini"
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'kembali',
            label: 'Kembalikan',
            content: <GiveBack topup={{ ...payment, id: payment.topup_id }} onDone={onDone} />,
          },
          {
            value: 'selesai',
            label: 'Tandai selesai',
            content: <SettleFlag payment={payment} onDone={onDone} />,
          },
        ]}
      />
    </>
  );
}
