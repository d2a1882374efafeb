import { Link } from '#web/browser/router/Link.tsx';
import { Check } from 'lucide-react';
import { type ReactNode, Suspense, lazy } from 'react';
import type { HomeSummary } from '#contract/messages.ts';
import { progressOf, stepKeys, type StepKey } from '#web/features/home/figures.ts';
import styles from '#web/features/home/home.module.css';
import { classes } from '#web/ui/classes.ts';
import { type StepFacts, stepsOf } from '#web/features/home/steps.ts';
import { TopupButton } from '#web/features/saldo/saldo.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

type Props = { home: HomeSummary; onSent: () => void };

/** The steps from a new account to the first message, then to its own saldo; the next one is done here. */
export function Checklist({ home, onSent }: Props) {
  const { done, next } = progressOf(home.checklist);
  const steps = stepsOf(home);
  return (
    <Panel
      title="Langkah pertama"
      look="card"
      tools={
        <span className="small faint num">
          {done} dari {stepKeys.length} selesai
        </span>
      }
    >
      <progress
        className={classes('block w-full rounded-full bg-line overflow-hidden', styles['progress'])}
        value={done}
        max={stepKeys.length}
        aria-label="Langkah yang selesai"
      />
      <ol className="stack mt-8">
        {stepKeys.map((key, index) => (
          <Step
            key={key}
            number={index + 1}
            step={steps[key]}
            done={home.checklist[key]}
            current={key === next}
          >
            <Doing step={key} home={home} onSent={onSent} />
          </Step>
        ))}
      </ol>
    </Panel>
  );
}

export const ChecklistSkeleton = () => (
  <div className="stack mt-8">
    {stepKeys.map((key) => (
      <div key={key} className={classes('grid gap-14 py-14 border-b', styles['step'])}>
        <Skeleton width={28} height={28} round />
        <div className={classes('stack justify-items-start gap-12 min-w-0', styles['stepBody'])}>
          <Skeleton width={160} height={20} />
        </div>
      </div>
    ))}
  </div>
);

// Loaded separately: most visits come after these steps.
const ConnectNumber = lazy(async () => ({
  default: (await import('#web/features/home/ConnectNumber.tsx')).ConnectNumber,
}));
const FirstMessage = lazy(async () => ({
  default: (await import('#web/features/home/FirstMessage.tsx')).FirstMessage,
}));

type StepProps = {
  number: number;
  step: StepFacts;
  done: boolean;
  /** The next step is open; the others can be done before it. */
  current: boolean;
  children: ReactNode;
};

const Step = ({ number, step, done, current, children }: StepProps) => (
  <li
    className={classes('grid gap-14 py-14 border-b', styles['step'])}
    data-done={done || undefined}
    aria-current={current ? 'step' : undefined}
  >
    <span
      className={classes(
        'place-center small faint strong num size-28 border-control rounded-full',
        styles['number'],
      )}
      aria-hidden="true"
    >
      {done ? <Check size={16} /> : number}
    </span>
    <div className={classes('stack justify-items-start gap-12 min-w-0', styles['stepBody'])}>
      <h3>
        {done || current ? step.title : <Link href={step.href}>{step.title}</Link>}
        {done && <span className="sr-only"> (selesai)</span>}
      </h3>
      {current && children}
    </div>
  </li>
);

function Doing({ step, home, onSent }: Props & { step: StepKey }) {
  switch (step) {
    case 'linked':
      return (
        <Suspense fallback={<Skeleton width={264} height={264} />}>
          <ConnectNumber home={home} />
        </Suspense>
      );
    case 'sent':
      return (
        <Suspense fallback={<Skeleton lines={6} height={18} />}>
          <FirstMessage home={home} onSent={onSent} />
        </Suspense>
      );
    case 'topped_up':
      return <AddSaldo home={home} />;
  }
}

const AddSaldo = ({ home }: { home: HomeSummary }) => (
  <>
    <p>
      {home.saldo.available > 0 && (
        <>
          Saldo Anda kini <Money amount={home.saldo.available} />
          {home.welcome_bonus > 0 && ', bonus selamat datang dari kami'}.{' '}
        </>
      )}
      Kuota paket dipakai lebih dulu; sesudahnya hanya pesan yang terkirim yang memotong saldo.
    </p>
    <TopupButton variant="subtle" />
  </>
);
