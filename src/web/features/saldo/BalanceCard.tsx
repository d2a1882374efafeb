import { formatNumber } from '#contract/base/money.ts';
import type { SaldoSummary } from '#contract/saldo.ts';
import { sentenceOf } from '#web/api/errors.ts';
import styles from '#web/features/saldo/BalanceCard.module.css';
import { messagesFor } from '#web/features/saldo/topups/topups.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

type Props = {
  saldo: SaldoSummary | undefined;
  /** Why there is none. */
  error: Error | null;
  onRetry: () => void;
};

/** What can be spent, what is held, and how far it goes. */
export function BalanceCard({ saldo, error, onRetry }: Props) {
  if (!saldo && error) {
    return (
      <section className={styles['failed']} aria-label="Saldo Anda">
        <WentWrong message={sentenceOf(error)} onRetry={onRetry} />
      </section>
    );
  }
  return (
    <section className={styles['card']} aria-label="Saldo Anda" aria-busy={!saldo || undefined}>
      <dl className={styles['figures']}>
        <div>
          <dt>Tersedia</dt>
          <dd className={styles['available']}>
            {saldo ? <Money amount={saldo.available} /> : <Skeleton width="6em" />}
          </dd>
        </div>
        <div className={styles['held']}>
          <dt>Tertahan</dt>
          <dd>{saldo ? <Money amount={saldo.held} /> : <Skeleton width="5em" />}</dd>
        </div>
      </dl>
      <p className={styles['note']}>{saldo ? <Note saldo={saldo} /> : <Skeleton width="80%" />}</p>
    </section>
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
