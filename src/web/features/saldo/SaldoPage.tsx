import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { BalanceCard } from '#web/features/saldo/BalanceCard.tsx';
import { Mutations } from '#web/features/saldo/Mutations.tsx';
import { saldoQuery } from '#web/features/saldo/queries.ts';
import styles from '#web/features/saldo/SaldoPage.module.css';
import { TopupDialog } from '#web/features/saldo/topups/TopupDialog.tsx';
import { Topups } from '#web/features/saldo/topups/Topups.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';

/** Route `/saldo`: the balance, what was put in, and every mutation. */
export function SaldoPage() {
  const saldo = useQuery(saldoQuery);
  const status = saldo.data?.status ?? 'active';
  return (
    <>
      <PageHead
        title="Saldo"
        context="Saldo dipakai untuk mengirim pesan. Isi kapan saja lewat transfer bank."
        action={
          <LinkButton
            to="/saldo"
            change={{ new: '1', open: undefined }}
            resetScroll={false}
            tone="attention"
            icon={<Plus size={18} />}
          >
            Isi saldo
          </LinkButton>
        }
      />
      <div className={styles['page']}>
        <Alert
          state="warning"
          visible={status !== 'active'}
          label={
            status === 'closed'
              ? 'Akun ini sudah ditutup: saldo tidak dapat diisi atau dipakai.'
              : 'Saldo sedang dibekukan dan tidak dapat dipakai. Hubungi layanan pelanggan.'
          }
        />
        <div className={styles['top']}>
          <BalanceCard
            saldo={saldo.data}
            error={saldo.error}
            onRetry={() => void saldo.refetch()}
          />
          <Topups />
        </div>
        <Mutations />
      </div>
      <TopupDialog />
    </>
  );
}
