import { useQuery } from '@tanstack/react-query';
import { ChartNoAxesColumn } from 'lucide-react';
import { formatRupiah } from '#contract/base/money.ts';
import type { SaldoUsage } from '#contract/saldo.ts';
import { barsOf, sumsOf } from '#web/features/saldo/usage/usage.ts';
import styles from '#web/features/saldo/saldo.module.css';
import { classes } from '#web/ui/classes.ts';
import { usageQuery } from '#web/features/saldo/usage/usageQuery.ts';
import { type Series, SmallBars } from '#web/ui/chart/SmallBars.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

const captured: Series = { key: 'captured', label: 'Biaya pesan', color: 'primary' };
const held: Series = { key: 'held', label: 'Masih ditahan', color: 'warning' };
const plan: Series = { key: 'plan', label: 'Biaya paket', color: 'info', apart: true };

export function Usage() {
  const usage = useQuery(usageQuery);
  return (
    <Panel title="Pemakaian 30 hari">
      {usage.data && <Chart usage={usage.data} />}
      {!usage.data && usage.error && <WentWrong query={usage} />}
      {usage.isPending && (
        <div className="stack gap-20" aria-busy="true">
          <Skeleton width="70%" height="3em" />
          <Skeleton height={196} />
        </div>
      )}
    </Panel>
  );
}

function Chart({ usage: { days, pace } }: { usage: SaldoUsage }) {
  const sums = sumsOf(days);
  if (sums.messages + sums.plan === 0) {
    return (
      <EmptyState
        icon={<ChartNoAxesColumn size={24} />}
        title="Belum ada saldo yang terpakai dalam 30 hari terakhir."
      >
        Biaya pesan dan paket setiap hari akan tampil di sini.
      </EmptyState>
    );
  }
  const series = [captured, held, ...(sums.plan > 0 ? [plan] : [])];
  return (
    <div className="stack gap-20">
      <dl className={classes('flex wrap', styles['sums'])}>
        <div>
          <dt className="small faint">Pesan</dt>
          <dd>
            <Money amount={sums.messages} />
          </dd>
        </div>
        {sums.plan > 0 && (
          <div>
            <dt className="small faint">Paket</dt>
            <dd>
              <Money amount={sums.plan} />
            </dd>
          </div>
        )}
        {pace.state === 'known' && (
          <div>
            <dt className="small faint">Rata-rata pesan per hari</dt>
            <dd>
              <Money amount={pace.per_day} />
            </dd>
          </div>
        )}
      </dl>
      {sums.messages > 0 && (
        <SmallBars
          title="Saldo terpakai per hari, dalam rupiah"
          series={series}
          bars={barsOf(days)}
          format={formatRupiah}
        />
      )}
      {sums.plan > 0 && (
        <p className="small faint">
          {sums.messages > 0
            ? 'Biaya paket tidak digambar di grafik; tanggalnya ada di tabel angkanya.'
            : 'Dalam 30 hari terakhir hanya biaya paket yang memotong saldo. Tanggalnya ada di mutasi.'}
        </p>
      )}
    </div>
  );
}
