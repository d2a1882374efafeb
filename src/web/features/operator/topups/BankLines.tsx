import { useId } from 'react';
import type { OperatorTopup } from '#contract/operator/payments.ts';
import styles from '#web/features/operator/form/choices.module.css';
import { whenOf } from '#web/features/operator/bank/bankLines.ts';
import { type Candidate, differenceOf } from '#web/features/operator/topups/topups.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

export const OTHER = 'lain';

type Props = {
  topup: OperatorTopup;
  line: string;
  reference: string;
  errors: { line?: string; reference?: string };
  onLine: (line: string) => void;
  onReference: (reference: string) => void;
};

/** The unused bank entries near a top-up's amount, or a reference typed by hand. */
export function BankLines({ topup, line, reference, errors, onLine, onReference }: Props) {
  const errorId = useId();
  return (
    <div className={styles['lines']}>
      <fieldset
        role="radiogroup"
        tabIndex={-1}
        className={styles['group']}
        aria-invalid={errors.line ? true : undefined}
        aria-describedby={errors.line ? errorId : undefined}
      >
        <legend className={styles['legend']}>Mutasi bank yang mungkin</legend>
        {topup.candidates.length === 0 && (
          <p className={styles['none']}>
            Belum ada mutasi bank yang mendekati jumlah ini. Tulis referensinya bila Anda melihatnya
            di rekening.
          </p>
        )}
        {topup.candidates.map((candidate) => (
          <Choice
            key={candidate.line}
            candidate={candidate}
            total={topup.total}
            chosen={candidate.line === line}
            onChoose={() => onLine(candidate.line)}
          />
        ))}
        {topup.candidates.length > 0 && (
          <label className={styles['choice']}>
            <input
              type="radio"
              name="line"
              checked={line === OTHER}
              onChange={() => onLine(OTHER)}
            />
            <span>Mutasi lain, saya tulis referensinya</span>
          </label>
        )}
        {errors.line && (
          <p id={errorId} className={styles['error']}>
            {errors.line}
          </p>
        )}
      </fieldset>
      {line === OTHER && (
        <TextField
          label="Referensi mutasi bank"
          name="reference"
          autoComplete="off"
          required
          maxLength={100}
          value={reference}
          error={errors.reference}
          onChange={(event) => onReference(event.target.value)}
        />
      )}
    </div>
  );
}

type ChoiceProps = {
  candidate: Candidate;
  total: number;
  chosen: boolean;
  onChoose: () => void;
};

function Choice({ candidate, total, chosen, onChoose }: ChoiceProps) {
  const { exact, words } = differenceOf(candidate.amount, total);
  return (
    <label className={styles['choice']}>
      <input type="radio" name="line" checked={chosen} onChange={onChoose} />
      <span className="sr-only">Transfer masuk</span>
      <span className={styles['facts']}>
        <span className={styles['amount']}>
          <Money amount={candidate.amount} />
        </span>
        <StatusChip tone={exact ? 'success' : 'warning'}>{words}</StatusChip>
        <span className={styles['who']}>
          {candidate.description} · {whenOf(candidate.at)}
        </span>
      </span>
    </label>
  );
}
