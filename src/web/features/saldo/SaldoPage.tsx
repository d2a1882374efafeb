import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { LowSaldo } from '#web/features/saldo/alert/LowSaldo.tsx';
import { Mutations } from '#web/features/saldo/Mutations.tsx';
import { saldoQuery } from '#web/features/saldo/saldoQuery.ts';
import styles from '#web/features/saldo/saldo.module.css';
import { classes } from '#web/ui/classes.ts';
import { TOPUP_LIMIT_ID, topupLimitOf } from '#web/features/saldo/topups/limit.ts';
import { LimitReason, TopupButton } from '#web/features/saldo/topups/TopupButton.tsx';
import { TopupDialog } from '#web/features/saldo/topups/TopupDialog.tsx';
import { Topups } from '#web/features/saldo/topups/Topups.tsx';
import { Usage } from '#web/features/saldo/usage/Usage.tsx';
import { usageQuery } from '#web/features/saldo/usage/usageQuery.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { formatRupiah, formatNumber } from '#contract/base/money.ts';
import type { SaldoSummary } from '#contract/saldo-summary.ts';
import { useWide } from '#web/ui/layout/useMedia.ts';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import type { Pace } from '#contract/saldo.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { messagesFor } from '#web/features/saldo/topups/topups.ts';
import { lastsFor } from '#web/features/saldo/usage/usage.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

/** Route `/saldo`. On phones, whose top bar shows the balance, the statement is first. */
export function SaldoPage() {
  const saldo = useQuery(saldoQuery);
  const usage = useQuery(usageQuery);
  const wide = useWide();
  const notices = saldo.data && <SaldoNotices saldo={saldo.data} />;
  // On phones a frozen balance is more important than the statement.
  const isCalm = !wide && saldo.data?.status === 'active';
  return (
    <>
      <PageHead
        title="Saldo"
        context={wide && 'Saldo dipakai untuk mengirim pesan. Isi kapan saja, pakai sampai habis.'}
        action={<TopupButton onSaldo icon={<Plus size={18} aria-hidden="true" />} />}
      />
      <div className={classes('stack gap-36 mt-24', styles['page'])}>
        {!isCalm && notices}
        {!wide && <Mutations />}
        {isCalm && notices}
        <div className={classes('stack gap-28', styles['top'])}>
          <BalanceCard
            saldo={saldo.data}
            pace={usage.data?.pace}
            error={saldo.error}
            onRetry={() => void saldo.refetch()}
          />
          <Topups />
        </div>
        <div className={classes('stack gap-28', styles['middle'])}>
          <Usage />
          <LowSaldo />
        </div>
        {wide && <Mutations />}
      </div>
      <TopupDialog />
    </>
  );
}

function SaldoNotices({ saldo }: { saldo: SaldoSummary }) {
  const { status, available, alert_threshold: threshold, bonus_only: isBonus } = saldo;
  const limit = topupLimitOf(saldo);
  const isLow = status === 'active' && threshold !== null && available < threshold;
  return (
    <div className="grid gap-12 hide-empty">
      {limit !== undefined && (
        <Alert
          id={TOPUP_LIMIT_ID}
          state={status === 'active' ? 'info' : 'warning'}
          visible
          label={<LimitReason limit={limit} onSaldo />}
        />
      )}
      <Alert
        state="warning"
        visible={isLow}
        label={`Saldo di bawah batas ${formatRupiah(threshold ?? 0)} yang Anda atur. Isi sekarang supaya pesan tetap terkirim.`}
      />
      <Alert
        state="info"
        visible={isBonus && status === 'active'}
        label="Bonus selamat datang dapat dipakai ke nomor Anda sendiri dan nomor simulator. Isi saldo pertama kali untuk mengirim ke semua nomor."
      />
    </div>
  );
}

type Props = {
  saldo: SaldoSummary | undefined;
  pace: Pace | undefined;
  error: Error | null;
  onRetry: () => void;
};

function BalanceCard({ saldo, pace, error, onRetry }: Props) {
  if (!saldo && error) {
    return (
      <section className="card" aria-label="Saldo Anda">
        <WentWrong message={sentenceOf(error)} onRetry={onRetry} />
      </section>
    );
  }
  return (
    <section
      className={classes('grid gap-18 p-24 rounded-lg', styles['card'])}
      aria-label="Saldo Anda"
      aria-busy={!saldo || undefined}
    >
      <dl className="grid gap-16">
        <div>
          <dt className="small strong">Tersedia</dt>
          <dd className={classes('mt-2 heading', styles['available'])}>
            {saldo ? <Money amount={saldo.available} /> : <Skeleton width="6em" />}
          </dd>
        </div>
        <div className={classes('flex align-baseline justify-between gap-16', styles['held'])}>
          <dt className="small strong">Tertahan</dt>
          <dd className="larger strong">
            {saldo ? <Money amount={saldo.held} /> : <Skeleton width="5em" />}
          </dd>
        </div>
      </dl>
      <div className="grid gap-10">
        {saldo ? (
          <>
            <Lasting available={saldo.available} pace={pace} />
            <p className={styles['note']}>
              <Note saldo={saldo} />
            </p>
          </>
        ) : (
          <Skeleton width="80%" lines={2} />
        )}
      </div>
    </section>
  );
}

function Lasting({ available, pace }: { available: number; pace: Pace | undefined }) {
  if (!pace) return null;
  if (pace.state !== 'known') {
    return (
      <p className={styles['note']}>
        {pace.state === 'little'
          ? 'Belum cukup data untuk memperkirakan berapa hari saldo ini bertahan.'
          : 'Tidak ada pemakaian belakangan ini, jadi belum dapat diperkirakan berapa hari saldo ini bertahan.'}
      </p>
    );
  }
  const lasting = lastsFor(available, pace);
  return (
    <p className="large leading-14">
      {lasting === 'less' && 'Tidak cukup untuk sehari dengan pemakaian sekarang'}
      {lasting === 'year' && 'Cukup untuk lebih dari setahun dengan pemakaian sekarang'}
      {typeof lasting === 'number' && (
        <>
          Cukup untuk <strong>± {formatNumber(lasting)} hari</strong> dengan pemakaian sekarang
        </>
      )}
      <span className="block small">
        Rata-rata <Money amount={pace.per_day} /> sehari, dari {pace.days} hari terakhir.
      </span>
    </p>
  );
}

function Note({ saldo: { available, held, message_price: price } }: { saldo: SaldoSummary }) {
  const messages = messagesFor(available, price);
  return (
    <>
      {messages === 0 && (
        <>
          Belum cukup untuk satu pesan: <Money amount={price} /> per pesan.{' '}
        </>
      )}
      {messages !== undefined && messages > 0 && (
        <>
          Cukup untuk sekitar <strong>{formatNumber(messages)} pesan</strong>,{' '}
          <Money amount={price} /> per pesan.{' '}
        </>
      )}
      {held > 0 && 'Yang tertahan menunggu pesan terkirim; bila gagal, kembali ke saldo.'}
    </>
  );
}
