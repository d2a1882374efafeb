import { type Subscription, subscriptionStatusLabel } from '#contract/billing.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { inclusionsOf, subscriptionTone } from '#web/features/billing/labels.ts';
import { Ending } from '#web/features/billing/plan/RequiredAction.tsx';
import { formatDay, formatPeriod, lastDayOf } from '#web/features/billing/plan/usage.ts';
import { usePlanChanges } from '#web/features/billing/plan/usePlanChanges.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { type Fact, Facts, Panel } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

type Props = {
  subscription: Subscription | undefined;
  error: Error | null;
  onRetry: () => void;
  onDone: (sentence: string) => void;
};

export function PlanNow({ subscription, error, onRetry, onDone }: Props) {
  const status = subscription?.status;
  return (
    <Panel
      title="Paket sekarang"
      look="card"
      tools={
        status && (
          <StatusChip tone={subscriptionTone[status]}>{subscriptionStatusLabel[status]}</StatusChip>
        )
      }
    >
      {error && <WentWrong query={{ error, refetch: onRetry }} />}
      {!subscription && !error && <LoadingPlan />}
      {subscription && (
        <div className="stack gap-16">
          <PlanPrice subscription={subscription} />
          <Facts facts={factsOf(subscription)} />
          <Ending subscription={subscription} onDone={onDone} />
          <Stop subscription={subscription} onDone={onDone} />
        </div>
      )}
    </Panel>
  );
}

const PlanPrice = ({ subscription: { plan } }: { subscription: Subscription }) => (
  <div className="flex wrap align-baseline justify-between gap-4 gap-x-16">
    <p className="figure">{plan.name}</p>
    <p className="muted">
      {plan.price > 0 ? (
        <>
          <strong className="larger">
            <Money amount={plan.price} />
          </strong>{' '}
          per bulan
        </>
      ) : (
        'Tanpa biaya bulanan'
      )}
    </p>
  </div>
);

function factsOf(subscription: Subscription): readonly Fact[] {
  const { plan, period_start: start, period_end: end, next_charge: next } = subscription;
  const isDue = subscription.status === 'past_due';
  const inclusions = (
    <ul className="grid gap-2">
      {inclusionsOf(plan).map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
  return [
    { term: 'Termasuk', is: inclusions },
    { term: 'Periode', is: formatPeriod(start, end) },
    subscription.cancel_at_period_end
      ? { term: 'Berakhir', is: formatDay(lastDayOf(end)) }
      : {
          term: isDue ? 'Belum dibayar' : 'Tagihan berikutnya',
          is: next
            ? `${formatRupiah(next.amount)} ${isDue ? 'sejak' : 'pada'} ${formatDay(next.at)}`
            : 'Tidak ada',
        },
  ];
}

type StopProps = { subscription: Subscription; onDone: (sentence: string) => void };

/**
 * Cancels the plan at the end of its period; for a paid plan that is not cancelled yet. An unpaid one has no period
 * left: choosing the free plan ends it at once.
 */
function Stop({ subscription, onDone }: StopProps) {
  const { plan, period_end: end, status } = subscription;
  const { cancel } = usePlanChanges();
  const ending = subscription.cancel_at_period_end || subscription.next_plan !== null;
  if (status !== 'active' || ending || plan.price === 0) return null;
  const last = formatDay(lastDayOf(end));
  const ask = async () => {
    const stopped = await confirm({
      title: `Berhenti dari paket ${plan.name}?`,
      children: (
        <div className="grid gap-10">
          <p>
            Sampai {last} tidak ada yang berubah. Mulai {formatDay(end)} akun memakai paket Gratis,
            dan tidak ada tagihan paket lagi.
          </p>
          <p>
            Saldo, riwayat pesan, dan token Anda tetap ada. Sebelum tanggal itu paket dapat
            dilanjutkan kapan saja.
          </p>
        </div>
      ),
      cancelText: 'Kembali',
      confirmText: 'Berhenti di akhir periode',
      onConfirm: async () => void (await cancel.perform({})),
    });
    if (stopped) onDone(`Paket ${plan.name} berhenti setelah ${last}.`);
  };
  return (
    <div>
      <Button variant="link" tone="danger" onClick={() => void ask()}>
        Berhenti di akhir periode
      </Button>
    </div>
  );
}

const LoadingPlan = () => (
  <div className="stack gap-16" aria-busy="true">
    <div className="flex wrap align-baseline justify-between gap-4 gap-x-16">
      <Skeleton width="5em" height={31} />
      <Skeleton width="9em" />
    </div>
    <Skeleton height={62} />
    <Skeleton height={22} />
    <Skeleton height={22} />
  </div>
);
