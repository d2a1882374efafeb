import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '#web/browser/router/Router.tsx';
import styles from '#web/features/billing/billing.module.css';
import { classes } from '#web/ui/classes.ts';
import { InvoiceDrawer } from '#web/features/billing/invoices/InvoiceDrawer.tsx';
import { Invoices } from '#web/features/billing/invoices/Invoices.tsx';
import { RequiredAction, Ending } from '#web/features/billing/plan/RequiredAction.tsx';
import { ChangeDialog } from '#web/features/billing/plans/ChangeDialog.tsx';
import { subscriptionQuery, buyerQuery, plansQuery } from '#web/features/billing/queries.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { useWide } from '#web/ui/layout/useMedia.ts';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { useEffect, useRef, useState, useId } from 'react';
import {
  type BillingProfile,
  saveBillingProfile,
  type Subscription,
  subscriptionStatusLabel,
  type Plan,
} from '#contract/billing.ts';
import {
  formatNpwp,
  inclusionsOf,
  subscriptionTone,
  pricePerMessage,
} from '#web/features/billing/labels.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { WentWrong, EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Panel, type Fact, Facts } from '#web/ui/panel/Panel.tsx';
import { FormSkeleton, Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';
import { formatRupiah, formatNumber } from '#contract/base/money.ts';
import {
  formatDay,
  formatPeriod,
  lastDayOf,
  forecastSentence,
  levelOf,
} from '#web/features/billing/plan/usage.ts';
import { usePlanChanges } from '#web/features/billing/plan/usePlanChanges.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { Check } from 'lucide-react';

/** Route `/billing`: the plan, its usage, the other plans, and the invoices, which are first on phones. */
export function BillingPage() {
  const { open, change } = useSearch('/billing');
  const subscription = useQuery(subscriptionQuery);
  const { result, place, show, forget } = useResult();
  const { data, error } = subscription;
  const failed = data ? null : error;
  const wide = useWide();
  const retry = () => void subscription.refetch();
  return (
    <>
      <PageHead title="Tagihan" context={wide && 'Paket, pemakaian, dan tagihan akun Anda.'} />
      <div className="stack gap-40 mt-8">
        <div ref={place} tabIndex={-1} className="stack gap-12 rounded hide-empty">
          <Alert
            state="success"
            visible={result !== undefined}
            label={result ?? ''}
            onClose={forget}
          />
          {data && <RequiredAction subscription={data} onDone={show} />}
        </div>
        {!wide && <Invoices />}
        <div className={classes('stack gap-32', styles['top'])}>
          <PlanNow subscription={data} error={failed} onRetry={retry} onDone={show} />
          <UsagePanel subscription={data} error={failed} onRetry={retry} />
        </div>
        <Plans subscription={data} />
        {wide && <Invoices />}
        <BuyerForm />
      </div>
      {change && <ChangeDialog key={change} plan={change} onDone={show} />}
      {open && <InvoiceDrawer key={open} id={open} />}
    </>
  );
}

/**
 * Announces the result of the last change at the top of the page. Focus moves there once the dialog is closed, as the
 * element that opened it may be gone.
 */
function useResult() {
  const [result, setResult] = useState<{ sentence: string }>();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!result) return;
    let frame = 0;
    const go = () => {
      if (document.querySelector('dialog[open]')) frame = requestAnimationFrame(go);
      else place.current?.focus();
    };
    frame = requestAnimationFrame(go);
    return () => cancelAnimationFrame(frame);
  }, [result]);
  return {
    result: result?.sentence,
    place,
    show: (sentence: string) => setResult({ sentence }),
    forget: () => setResult(undefined),
  };
}

function BuyerForm() {
  const buyer = useQuery(buyerQuery);
  return (
    <Panel title="Data untuk tagihan">
      <p className="mb-16 muted pretty measure">
        Tercantum pada tagihan yang dibuat sesudah disimpan. Semua isian boleh dikosongkan; tanpa
        nama usaha, tagihan memakai nama akun Anda.
      </p>
      {buyer.data && <Fields buyer={buyer.data} />}
      {buyer.isError && !buyer.data && <WentWrong query={buyer} />}
      {buyer.isPending && <FormSkeleton fields={[44, 44, 84]} />}
    </Panel>
  );
}

function Fields({ buyer }: { buyer: BillingProfile }) {
  const client = useQueryClient();
  const { form, onSubmit, busy, error } = useActForm(saveBillingProfile, {
    initial: valuesOf(buyer),
    inputOf: (values) => values,
    onDone: (after) => {
      client.setQueryData(buyerQuery.queryKey, after);
      form.set('npwp', valuesOf(after).npwp);
      toast('Data untuk tagihan disimpan.', { tone: 'success' });
    },
  });
  return (
    <form ref={form.ref} noValidate className="stack gap-16 max-w-672" onSubmit={onSubmit}>
      <RefusalAlert error={error} fields={['name', 'npwp', 'address', 'email']} />
      <TextField
        label="Nama usaha"
        autoComplete="organization"
        maxLength={120}
        {...form.field('name')}
      />
      <TextField
        label="NPWP"
        inputMode="numeric"
        autoComplete="off"
        help="15 atau 16 angka; titik dan strip boleh ditulis."
        {...form.field('npwp')}
      />
      <TextArea
        label="Alamat"
        rows={3}
        autoComplete="street-address"
        maxLength={300}
        {...form.field('address')}
      />
      <TextField
        label="Alamat email untuk tagihan"
        type="email"
        autoComplete="email"
        {...form.field('email')}
      />
      <div>
        <Button type="submit" variant="subtle" busy={busy}>
          Simpan data tagihan
        </Button>
      </div>
    </form>
  );
}

const valuesOf = ({ name, npwp, address, email }: BillingProfile) => ({
  name: name ?? '',
  npwp: npwp ? formatNpwp(npwp) : '',
  address: address ?? '',
  email: email ?? '',
});

type Props = {
  subscription: Subscription | undefined;
  error: Error | null;
  onRetry: () => void;
  onDone: (sentence: string) => void;
};

function PlanNow({ subscription, error, onRetry, onDone }: Props) {
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

function Plans({ subscription }: { subscription: Subscription | undefined }) {
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

type UsageProps = {
  subscription: Subscription | undefined;
  error: Error | null;
  onRetry: () => void;
};

function UsagePanel({ subscription, error, onRetry }: UsageProps) {
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
      <Facts facts={usageFacts(subscription)} />
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

function usageFacts({ usage, plan, tokens_used: tokens }: Subscription): readonly Fact[] {
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
