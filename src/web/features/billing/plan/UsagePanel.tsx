import { useId } from 'react';
import type { Subscription } from '#contract/billing.ts';
import { formatNumber } from '#contract/base/money.ts';
import styles from '#web/features/billing/billing.module.css';
import { classes } from '#web/ui/classes.ts';
import { forecastSentence, levelOf } from '#web/features/billing/plan/usage.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { type Fact, Facts, Panel } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

type Props = {
  subscription: Subscription | undefined;
  error: Error | null;
  onRetry: () => void;
};

export function UsagePanel({ subscription, error, onRetry }: Props) {
  return (
    <Panel title="Pemakaian periode ini">
      {error && <WentWrong query={{ error, refetch: onRetry }} />}
      {!subscription && !error && <LoadingUsage />}
      {subscription && <Usage subscription={subscription} />}
    </Panel>
  );
}

function Usage({ subscription }: { subscription: Subscription }) {
  const { usage, status, plan } = subscription;
  const { used, beyond, quota } = usage;
  return (
    <div className="stack gap-12">
      {quota > 0 ? (
        <>
          <p
            className={classes('flex wrap align-baseline gap-0 gap-x-8 muted num', styles['used'])}
          >
            <strong>{formatNumber(used)}</strong> <span>dari {formatNumber(quota)} pesan</span>
          </p>
          <Bar used={used} quota={quota} />
        </>
      ) : (
        <p className={classes('flex wrap align-baseline gap-0 gap-x-8 muted num', styles['used'])}>
          <strong>{formatNumber(used + beyond)}</strong> <span>pesan</span>
        </p>
      )}
      <p className={classes('pretty', styles['forecast'])}>
        {status === 'suspended' && plan.quota > 0
          ? 'Kuota tidak berlaku selama paket ditangguhkan.'
          : forecastSentence(subscription)}
      </p>
      <Facts facts={factsOf(subscription)} />
    </div>
  );
}

function Bar({ used, quota }: { used: number; quota: number }) {
  const id = useId();
  const level = levelOf({ used, quota });
  const share = Math.min(1, used / quota);
  const percent = Math.floor(share * 100);
  const words = `${formatNumber(used)} dari ${formatNumber(quota)} pesan, ${percent} persen`;
  return (
    <div className="grid gap-6">
      <div
        role="meter"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={quota}
        aria-valuenow={Math.min(used, quota)}
        aria-valuetext={words}
        className={classes('rounded-full bg-line overflow-hidden forced-border', styles['bar'])}
        data-level={level}
      >
        <span style={{ width: `${share * 100}%` }} data-some={used > 0 || undefined} />
      </div>
      <p className="flex justify-between gap-16 small faint num">
        <span id={id}>Kuota terpakai</span>
        <span aria-hidden="true">
          {level === 'over'
            ? 'Habis'
            : used > 0 && percent === 0
              ? 'Kurang dari 1%'
              : `${percent}%`}
        </span>
      </p>
    </div>
  );
}

function factsOf({ usage, plan, tokens_used: tokens }: Subscription): readonly Fact[] {
  const left = Math.max(0, usage.quota - usage.used);
  return [
    ...(usage.quota > 0 ? [{ term: 'Sisa kuota', is: `${formatNumber(left)} pesan` }] : []),
    {
      term: 'Di luar kuota',
      is:
        usage.beyond > 0 ? (
          <>
            {formatNumber(usage.beyond)} pesan, <Money amount={usage.beyond_amount} />
          </>
        ) : (
          'Belum ada'
        ),
    },
    {
      term: 'Token',
      is: (
        <>
          {formatNumber(tokens)} dari {formatNumber(plan.tokens)}
          {tokens > plan.tokens && (
            <span className="block mt-2 small faint">
              Melebihi paket: token yang ada tetap jalan, yang baru tidak dapat dibuat.
            </span>
          )}
        </>
      ),
    },
  ];
}

const LoadingUsage = () => (
  <div className="stack gap-12" aria-busy="true">
    <p className={classes('flex wrap align-baseline gap-0 gap-x-8 muted num', styles['used'])}>
      <Skeleton width="9em" />
    </p>
    <Skeleton height={10} round />
    <Skeleton lines={2} />
    <Skeleton height={120} />
  </div>
);
