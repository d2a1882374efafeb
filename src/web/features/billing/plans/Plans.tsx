import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useId } from 'react';
import type { Plan, Subscription } from '#contract/billing.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { inclusionsOf, pricePerMessage } from '#web/features/billing/labels.ts';
import { formatDay, lastDayOf } from '#web/features/billing/plan/usage.ts';
import styles from '#web/features/billing/billing.module.css';
import { classes } from '#web/ui/classes.ts';
import { plansQuery } from '#web/features/billing/queries.ts';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

export function Plans({ subscription }: { subscription: Subscription | undefined }) {
  const plans = useQuery(plansQuery);
  return (
    <Panel title="Pilih paket">
      <p className="mb-16 muted pretty measure">
        Naik paket berlaku hari ini dan dihitung per hari. Turun paket berlaku mulai periode
        berikutnya.
      </p>
      {plans.isPending && <LoadingPlans />}
      {plans.isError && !plans.data && <WentWrong query={plans} />}
      {plans.data?.length === 0 && (
        <EmptyState title="Belum ada paket yang ditawarkan.">
          Paket Anda yang sekarang tetap berlaku.
        </EmptyState>
      )}
      {plans.data && plans.data.length > 0 && (
        <ul className={classes('grid gap-16', styles['plans'])}>
          {plans.data.map((plan) => (
            <PlanCard key={plan.code} plan={plan} subscription={subscription} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

type CardProps = { plan: Plan; subscription: Subscription | undefined };

function PlanCard({ plan, subscription }: CardProps) {
  const id = useId();
  const current = subscription?.plan.code === plan.code;
  const each = pricePerMessage(plan);
  return (
    <li
      className={classes('column gap-12 card p-20', styles['card'])}
      data-current={current || undefined}
      aria-labelledby={id}
    >
      <div
        className={classes(
          'flex wrap align-baseline justify-between gap-4 gap-x-12',
          styles['head'],
        )}
      >
        <h3 id={id} className="larger">
          {plan.name}
        </h3>
        <Mark plan={plan} subscription={subscription} />
      </div>
      <p className="flex wrap align-baseline muted gap-0 gap-x-6">
        <strong className="figure">
          <Money amount={plan.price} />
        </strong>{' '}
        per bulan
      </p>
      <p className="muted pretty">{plan.description}</p>
      <ul className={classes('grid gap-6 ruled', styles['plansInclusions'])}>
        {inclusionsOf(plan).map((line) => (
          <li key={line}>
            <Check size={16} className="mt-2 text-accent" />
            {line}
          </li>
        ))}
      </ul>
      <p className="small faint">
        {each ? `Setara ${each} per pesan bila kuota habis terpakai.` : 'Tanpa biaya bulanan.'}
      </p>
      <Choice plan={plan} subscription={subscription} />
    </li>
  );
}

function Mark({ plan, subscription }: CardProps) {
  if (!subscription) return null;
  if (subscription.plan.code === plan.code)
    return <StatusChip tone="primary">Paket Anda</StatusChip>;
  if (subscription.next_plan?.code !== plan.code) return null;
  return <StatusChip tone="info">{`Mulai ${formatDay(subscription.period_end)}`}</StatusChip>;
}

/** The button; for the current plan, the price of its next period if that differs. */
function Choice({ plan, subscription }: CardProps) {
  if (!subscription || subscription.next_plan?.code === plan.code) return null;
  const now = subscription.plan;
  if (now.code === plan.code) {
    const last = formatDay(lastDayOf(subscription.period_end));
    return (
      <p className={classes('small muted text-center', styles['now'])}>
        {now.price === plan.price
          ? `Periode ini sampai ${last}.`
          : `Anda membayar ${formatRupiah(now.price)} sampai ${last}, lalu ${formatRupiah(plan.price)}.`}
      </p>
    );
  }
  const up = plan.price > now.price;
  return (
    <div className={styles['choice']}>
      <LinkButton
        to="/billing"
        change={{ change: plan.code, open: undefined }}
        resetScroll={false}
        variant={up ? 'subtle' : 'outline'}
        block
      >
        {`${up ? 'Naik' : 'Turun'} ke ${plan.name}`}
      </LinkButton>
    </div>
  );
}

const LoadingPlans = () => (
  <div className={classes('grid gap-16', styles['plans'])} aria-busy="true">
    {[0, 1, 2].map((card) => (
      <div key={card} className={classes('column gap-12 card p-20', styles['card'])}>
        <Skeleton width="6em" height={24} />
        <Skeleton width="8em" height={32} />
        <Skeleton lines={4} />
        <Skeleton height={40} />
      </div>
    ))}
  </div>
);
