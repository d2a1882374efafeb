import type { OperatorBankEntry } from '#contract/operator/payments.ts';
import { maySettle, stateLabel, stateTone, whenOf } from '#web/features/operator/bank/bankLines.ts';
import styles from '#web/features/operator/bank/BankLineDrawer.module.css';
import { SettleLine } from '#web/features/operator/bank/SettleLine.tsx';
import { Link } from '#web/browser/router/Link.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { type Fact, Facts } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type Props = {
  /** `undefined` while it loads, and when it is on no loaded page. */
  line: OperatorBankEntry | undefined;
  loading: boolean;
  onClose: () => void;
  onSettled: (line: OperatorBankEntry) => void;
};

export function BankLineDrawer({ line, loading, onClose, onSettled }: Props) {
  return (
    <Drawer addressed open onClose={onClose} title="Mutasi bank">
      {line ? (
        <div className={styles['drawer']}>
          <div className={styles['head']}>
            <p className={styles['amount']}>
              <Money amount={line.amount} />
            </p>
            <StatusChip tone={stateTone[line.state]}>{stateLabel[line.state]}</StatusChip>
          </div>
          <p className={styles['description']}>{line.description || 'Tanpa keterangan'}</p>
          {maySettle(line) && <SettleLine line={line} onSettled={onSettled} onMatched={onClose} />}
          <Facts facts={factsOf(line)} />
        </div>
      ) : (
        <NoLine loading={loading} />
      )}
    </Drawer>
  );
}

const NoLine = ({ loading }: { loading: boolean }) =>
  loading ? (
    <div aria-busy="true">
      <Skeleton lines={6} height="1.4em" />
    </div>
  ) : (
    <EmptyState title="Mutasi ini tidak ada di halaman yang sedang ditampilkan." />
  );

function factsOf({
  at,
  received_at,
  reference,
  topup,
  dismissed,
  twin,
}: OperatorBankEntry): readonly Fact[] {
  const facts: readonly (Fact | false | null)[] = [
    { term: 'Tanggal di bank', is: whenOf(at) },
    { term: 'Diterima Kabari', is: <DateTime at={received_at} /> },
    reference !== '' && { term: 'Referensi bank', is: reference },
    twin && {
      term: 'Sama hari dan jumlahnya dengan',
      is: `${twin.description || 'Tanpa keterangan'} (${whenOf(twin.at)})`,
    },
    topup && {
      term: 'Isi saldo',
      is: (
        <Link to="/operator/isi-saldo" search={{ open: topup.id, status: 'semua' }}>
          {topup.account_name}
        </Link>
      ),
    },
    dismissed && { term: 'Dikesampingkan oleh', is: dismissed.by },
    dismissed && { term: 'Pada', is: <DateTime at={dismissed.at} /> },
    dismissed && { term: 'Alasan', is: dismissed.reason },
  ];
  return facts.filter((fact) => fact !== false && fact !== null);
}
