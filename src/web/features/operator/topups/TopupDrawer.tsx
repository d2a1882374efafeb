import { paymentRefundLabel } from '#contract/operator/books.ts';
import type { OperatorTopup } from '#contract/operator/payments.ts';
import { topupMethodLabel, topupStatusLabel } from '#contract/saldo.ts';
import desk from '#web/features/operator/form/form.module.css';
import { paymentMethodLabels } from '#web/features/operator/form/paymentMethodLabels.ts';
import { GiveBack } from '#web/features/operator/refunds/GiveBack.tsx';
import { AtGateway } from '#web/features/operator/topups/AtGateway.tsx';
import { Decision } from '#web/features/operator/topups/Decision.tsx';
import { Slip } from '#web/features/operator/topups/Slip.tsx';
import styles from '#web/features/operator/topups/TopupDrawer.module.css';
import { mayConfirm } from '#web/features/operator/topups/topups.ts';
import { inFours, topupTone } from '#web/features/saldo/saldo.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { type Fact, Facts } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

type Props = {
  /** `undefined` while it loads, and when it is on no loaded page. */
  topup: OperatorTopup | undefined;
  loading: boolean;
  onClose: () => void;
  onDecided: (topup: OperatorTopup) => void;
  onShowAll: (() => void) | undefined;
};

/**
 * A top-up with its decision: a transfer beside the bank entries that could be its payment, an order beside its
 * gateway's state.
 */
export function TopupDrawer({ topup, loading, onClose, onDecided, onShowAll }: Props) {
  if (!topup) {
    return (
      <Drawer addressed open onClose={onClose} title="Isi saldo">
        {loading ? (
          <div aria-busy="true">
            <Skeleton lines={8} height="1.4em" />
          </div>
        ) : (
          <EmptyState
            title="Isi saldo ini tidak ada di halaman yang sedang ditampilkan."
            action={
              onShowAll && (
                <Button variant="subtle" onClick={onShowAll}>
                  Tampilkan semua status
                </Button>
              )
            }
          />
        )}
      </Drawer>
    );
  }
  return (
    <Drawer addressed open onClose={onClose} title={topup.account_name}>
      <div className={styles['drawer']}>
        <div className={styles['head']}>
          <p className={styles['total']}>
            <Money amount={topup.total} />
          </p>
          <StatusChip tone={topupTone[topup.status]}>{topupStatusLabel[topup.status]}</StatusChip>
        </div>
        {topup.note && <p className={styles['note']}>{topup.note}</p>}
        {topup.slip && <Slip slip={topup.slip} />}
        {topup.gateway ? (
          <AtGateway topup={topup} provider={topup.gateway.provider} onDecided={onDecided} />
        ) : (
          mayConfirm(topup) && <Decision topup={topup} onDecided={onDecided} />
        )}
        <Facts facts={factsOf(topup)} />
        {topup.status === 'paid' && topup.refund === null && (
          <GiveBack topup={topup} onDone={({ refund }) => onDecided({ ...topup, refund })} />
        )}
      </div>
    </Drawer>
  );
}

function flagFactsOf(flag: NonNullable<OperatorTopup['gateway']>['flag']): readonly Fact[] {
  if (flag === null) return [];
  const { kind, returned, settled } = flag;
  const isAll = kind === 'refunded';
  const unspecified = isAll ? 'Seluruhnya, atau disengketakan' : 'Jumlahnya tidak disebut';
  const facts: readonly (Fact | null)[] = [
    {
      term: isAll ? 'Ditarik di gerbang' : 'Sebagian ditarik di gerbang',
      is: returned === null ? unspecified : <Money amount={returned} />,
    },
    settled && {
      term: 'Ditandai selesai',
      is: (
        <>
          {settled.by}, <DateTime at={settled.at} />: {settled.reason}
        </>
      ),
    },
  ];
  return facts.filter((fact) => fact !== null);
}

function factsOf(topup: OperatorTopup): readonly Fact[] {
  const { bank, gateway } = topup;
  const facts: readonly (Fact | false)[] = [
    { term: 'Cara bayar', is: topupMethodLabel[topup.method] },
    { term: 'Nominal', is: <Money amount={topup.base} /> },
    topup.ppn > 0 && { term: 'PPN', is: <Money amount={topup.ppn} /> },
    topup.unique_code > 0 && { term: 'Kode unik', is: <Money amount={topup.unique_code} /> },
    { term: 'Masuk ke saldo', is: <Money amount={topup.credited} /> },
    bank !== null && {
      term: 'Rekening',
      is: `${bank.name} ${inFours(bank.number)}, ${bank.holder}`,
    },
    { term: 'Dibuat', is: <DateTime at={topup.created_at} /> },
    topup.paid_at === null
      ? { term: 'Batas bayar', is: <DateTime at={topup.expires_at} /> }
      : { term: 'Lunas', is: <DateTime at={topup.paid_at} /> },
    ...flagFactsOf(gateway?.flag ?? null),
    topup.refund !== null && { term: 'Pengembalian', is: paymentRefundLabel[topup.refund] },
    gateway !== null && {
      term: 'Gerbang',
      is: paymentMethodLabels[gateway.provider] ?? gateway.provider,
    },
    { term: gateway === null ? 'Nomor' : 'Nomor pesanan', is: topup.id },
    gateway !== null &&
      gateway.reference !== null && {
        term: 'Nomor di gerbang',
        is: <span className={desk['hash']}>{gateway.reference}</span>,
      },
  ];
  return facts.filter((fact) => fact !== false);
}
