import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { LowSaldo } from '#web/features/saldo/alert/LowSaldo.tsx';
import { BalanceCard } from '#web/features/saldo/BalanceCard.tsx';
import { Mutations } from '#web/features/saldo/Mutations.tsx';
import { saldoQuery } from '#web/features/saldo/saldoQuery.ts';
import styles from '#web/features/saldo/SaldoPage.module.css';
import { TOPUP_LIMIT_ID, topupLimitOf } from '#web/features/saldo/topups/limit.ts';
import { LimitReason, TopupButton } from '#web/features/saldo/topups/TopupButton.tsx';
import { TopupDialog } from '#web/features/saldo/topups/TopupDialog.tsx';
import { Topups } from '#web/features/saldo/topups/Topups.tsx';
import { Usage } from '#web/features/saldo/usage/Usage.tsx';
import { usageQuery } from '#web/features/saldo/usage/usageQuery.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { formatRupiah } from '#contract/base/money.ts';
import type { SaldoSummary } from '#contract/saldo-summary.ts';
import { useWide } from '#web/ui/layout/useMedia.ts';
import { PageHead } from '#web/ui/layout/PageHead.tsx';

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
      <div className={styles['page']}>
        {!isCalm && notices}
        {!wide && <Mutations />}
        {isCalm && notices}
        <div className={styles['top']}>
          <BalanceCard
            saldo={saldo.data}
            pace={usage.data?.pace}
            error={saldo.error}
            onRetry={() => void saldo.refetch()}
          />
          <Topups />
        </div>
        <div className={styles['middle']}>
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
    <div className={styles['standing']}>
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
