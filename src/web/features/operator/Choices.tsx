import { useId, type ReactNode } from 'react';
import styles from '#web/features/operator/operator.module.css';
import { classes } from '#web/ui/classes.ts';
import { differenceOf } from '#web/features/operator/topups/topups.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

type ChoicesProps = { legend: string; error?: string | undefined; children: ReactNode };

/** A choice among the records that may belong together with the shown one. */
export function Choices({ legend, error, children }: ChoicesProps) {
  const errorId = useId();
  return (
    <fieldset
      role="radiogroup"
      tabIndex={-1}
      className="grid gap-8"
      aria-invalid={error ? true : undefined}
      aria-describedby={error ? errorId : undefined}
    >
      <legend className="mb-8 larger heading">{legend}</legend>
      {children}
      {error && (
        <p id={errorId} className="small text-danger semibold">
          {error}
        </p>
      )}
    </fieldset>
  );
}

type ChoiceProps = { name: string; checked: boolean; onChoose: () => void; children: ReactNode };

export const Choice = ({ name, checked, onChoose, children }: ChoiceProps) => (
  <label className={classes('option grid align-center gap-12 min-h-44', styles['choice'])}>
    <input type="radio" name={name} checked={checked} onChange={onChoose} />
    {children}
  </label>
);

type CandidateProps = {
  amount: number;
  /** The amounts whose difference is shown; one of them is `amount`. */
  paid: number;
  requested: number;
  children: ReactNode;
};

export function Candidate({ amount, paid, requested, children }: CandidateProps) {
  const { exact, words } = differenceOf(paid, requested);
  return (
    <span className="row wrap justify-between gap-2 gap-x-12">
      <Money amount={amount} />
      <StatusChip tone={exact ? 'success' : 'warning'}>{words}</StatusChip>
      <span className="small faint break-anywhere w-full">{children}</span>
    </span>
  );
}
