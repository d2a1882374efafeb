import { useQueryClient } from '@tanstack/react-query';
import { type Topup, topupMethodLabel } from '#contract/saldo.ts';
import { topupQuery } from '#web/features/saldo/queries.ts';
import styles from '#web/features/saldo/saldo.module.css';
import { classes } from '#web/ui/classes.ts';
import { BankTransfer } from '#web/features/saldo/topups/payment/BankTransfer.tsx';
import { GatewayPage } from '#web/features/saldo/topups/payment/GatewayPage.tsx';
import { QrisPayment } from '#web/features/saldo/topups/payment/QrisPayment.tsx';
import { VirtualAccount } from '#web/features/saldo/topups/payment/VirtualAccount.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';

export function Instruction({ topup }: { topup: Topup }) {
  const client = useQueryClient();
  const { method, simulated } = topup;
  return (
    <div className="grid gap-18">
      <div className="row wrap justify-between gap-8 gap-x-16">
        <StatusChip tone="warning">Menunggu pembayaran</StatusChip>
        <span className="muted">
          Sisa waktu{' '}
          <strong>
            <Countdown
              until={topup.expires_at}
              ended="habis"
              onEnd={() =>
                void client.invalidateQueries({ queryKey: topupQuery(topup.id).queryKey })
              }
            />
          </strong>
        </span>
      </div>
      {method !== 'bank' && (
        <p className="row wrap gap-6 gap-x-10 larger strong">
          {topupMethodLabel[method]}
          {simulated && <StatusChip tone="info">Pembayaran simulasi</StatusChip>}
        </p>
      )}
      <Payment topup={topup} />
      <Sum topup={topup} />
    </div>
  );
}

function Payment({ topup }: { topup: Topup }) {
  if (topup.method === 'bank') return <BankTransfer topup={topup} />;
  if (topup.qr !== null) return <QrisPayment topup={topup} qr={topup.qr} />;
  if (topup.va) return <VirtualAccount topup={topup} va={topup.va} />;
  if (topup.page_url !== null) return <GatewayPage topup={topup} url={topup.page_url} />;
  return <p>Cara bayarnya sedang disiapkan. Halaman ini berubah otomatis begitu siap.</p>;
}

const Sum = ({ topup }: { topup: Topup }) => (
  <dl className={classes('grid gap-6 py-12 border-y sums', styles['sum'])}>
    <div>
      <dt>Nominal</dt>
      <dd>
        <Money amount={topup.base} />
      </dd>
    </div>
    {topup.ppn > 0 && (
      <div>
        <dt>PPN</dt>
        <dd>
          <Money amount={topup.ppn} />
        </dd>
      </div>
    )}
    {topup.unique_code > 0 && (
      <div>
        <dt>Kode unik</dt>
        <dd>
          <Money amount={topup.unique_code} />
        </dd>
      </div>
    )}
    <div className={styles['credited']}>
      <dt>Masuk ke saldo</dt>
      <dd>
        <Money amount={topup.credited} />
      </dd>
    </div>
  </dl>
);
