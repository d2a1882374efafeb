import {
  useLayoutEffect,
  useRef,
  useState,
  type FocusEventHandler,
  type ReactNode,
  type RefObject,
} from 'react';
import { CurrencyInput, type CurrencyInputOnChangeValues } from 'react-currency-input-field';
import { formatRupiah } from '#contract/money.ts';
import styles from '#web/ui/fields/CurrencyField.module.css';
import { controlClass, Field, insideClass, type FieldProps } from '#web/ui/fields/Field.tsx';
import { classes } from '#web/ui/rules/classes.ts';
import { readRupiah, readTyped, type Tail } from '#web/ui/rules/currency.ts';
import { inWords } from '#web/ui/rules/rupiahWords.ts';

type Props = FieldProps & {
  /** Rupiah, whole unless `decimals` says otherwise; `undefined` when empty. */
  value: number | undefined;
  onChange: (amount: number | undefined) => void;
  /**
   * The library's own way of telling: its text (with a comma), the name, and three readings of it.
   */
  onValueChange?: (
    value: string | undefined,
    name: string | undefined,
    values: CurrencyInputOnChangeValues,
  ) => void;
  /** How much an arrow key adds or takes, and how far the arrows go; typing goes further. */
  step?: number;
  min?: number;
  max?: number;
  /** How many digits can be typed; 15. */
  maxLength?: number;
  /** How many decimals are kept when the field is left; none. */
  decimals?: number;
  /** Also takes `50rb`, `1,5jt`, `2miliar`; `k`, `m` and `b` always are. */
  indonesianSuffixes?: boolean;
  /** Amounts to be chosen by one press. */
  quick?: readonly number[];
  id?: string;
  name?: string;
  className?: string;
  required?: boolean;
  disabled?: boolean;
  autoFocus?: boolean;
  onBlur?: FocusEventHandler<HTMLInputElement>;
};

/** From here on an amount is also said in words: so many zeros are easily miscounted. */
const WORDS_FROM = 1_000_000;

const asText = (value: number | undefined): string => String(value ?? '').replace('.', ',');

/** Rupiah as they are typed: `1.250.000`, and `50k`, `1,5m`, `2b` for the long ones. */
export function CurrencyField({ quick, ...props }: Props): ReactNode {
  const { value, disabled = false, onChange } = props;
  if (!quick) return <Amount {...props} />;
  return (
    <div className={styles['withQuick']}>
      <Amount {...props} />
      <fieldset className={styles['quick']} disabled={disabled}>
        <legend className="sr-only">Nominal siap pakai</legend>
        {quick.map((amount) => (
          <button
            key={amount}
            type="button"
            className={styles['choice']}
            aria-pressed={amount === value}
            onClick={() => onChange(amount)}
          >
            {formatRupiah(amount)}
          </button>
        ))}
      </fieldset>
    </div>
  );
}

function Amount(props: Omit<Props, 'quick'>) {
  const { value, onChange, onValueChange, indonesianSuffixes = false, ...others } = props;
  const { label, help, error, hideLabel, size, id, className, onBlur, ...rest } = others;
  const { decimals = 0, maxLength = 15, ...input } = rest;
  const amount = useAmount(props, decimals);
  const reading = useReading({ indonesian: indonesianSuffixes, decimals });
  const frame = { help, error, id, className, required: input.required };
  const said =
    value !== undefined && Math.abs(value) >= WORDS_FROM && Number.isSafeInteger(Math.trunc(value));

  return (
    <Field {...frame} label={<Named label={label} />} hideLabel={hideLabel ?? false}>
      {(links) => {
        const words = said ? `${links.id}-words` : undefined;
        return (
          <>
            <div className={controlClass(size)}>
              <span className={styles['prefix']} aria-hidden="true">
                Rp
              </span>
              <CurrencyInput
                // The library keeps what was typed last for its caret: another value, another
                // input.
                key={amount.turn}
                ref={amount.ref}
                {...input}
                {...links}
                aria-describedby={classes(words, links['aria-describedby']) || undefined}
                className={insideClass('num')}
                placeholder="000.000"
                // The specification names this attribute; nothing reads it.
                {...{ mask: '999.999' }}
                inputMode="decimal"
                autoComplete="off"
                groupSeparator="."
                decimalSeparator=","
                decimalScale={decimals}
                allowNegativeValue={false}
                // Letters are read before the library sees them.
                disableAbbreviations
                maxLength={maxLength}
                value={amount.text}
                transformRawValue={reading.read}
                onPaste={reading.paste}
                onFocus={() => amount.focus(true)}
                onBlur={(event) => {
                  amount.focus(false);
                  onBlur?.(event);
                }}
                onValueChange={(text, name, values) => {
                  amount.take(text);
                  // A comma alone that was left behind: the library tells NaN.
                  if (text === '') onValueChange?.(undefined, name, NOTHING);
                  else onValueChange?.(text, name, values ?? NOTHING);
                }}
              />
            </div>
            {said && (
              <p id={words} className={styles['words']}>
                {inWords(value)}
              </p>
            )}
          </>
        );
      }}
    </Field>
  );
}

const NOTHING: CurrencyInputOnChangeValues = { float: null, formatted: '', value: '' };

const Named = ({ label }: { label: ReactNode }) => (
  <>
    {label}
    <span className="sr-only"> (rupiah)</span>
  </>
);

type Held = {
  text: string;
  /** Counts the values that came from outside. */
  turn: number;
  ref: RefObject<HTMLInputElement | null>;
  take: (text: string | undefined) => void;
  focus: (here: boolean) => void;
};

/**
 * The text that stands for the value: as it was typed, or made from a value that came from outside.
 */
function useAmount({ value, onChange }: Pick<Props, 'value' | 'onChange'>, decimals: number): Held {
  const [held, setHeld] = useState({ amount: value, text: asText(value), turn: 0 });
  const ref = useRef<HTMLInputElement>(null);
  const focused = useRef(false);
  if (held.amount !== value) {
    setHeld({ amount: value, text: asText(value), turn: held.turn + 1 });
  }
  useLayoutEffect(() => {
    if (held.turn > 0 && focused.current) ref.current?.focus();
  }, [held.turn]);
  return {
    text: held.text,
    turn: held.turn,
    ref,
    take: (text) => {
      const amount = readRupiah(text, decimals);
      setHeld(({ turn }) => ({ amount, text: text ?? '', turn }));
      if (amount !== value) onChange(amount);
    },
    focus: (here) => {
      focused.current = here;
    },
  };
}

/**
 * Reads what is typed with a memory of the letters before (`50r`, then `50rb`), and what is pasted.
 */
function useReading(how: { indonesian: boolean; decimals: number }) {
  const tail = useRef<Tail>(undefined);
  const pasted = useRef(false);
  return {
    read: (raw: string): string => {
      const typed = readTyped(raw, { ...how, tail: tail.current, pasted: pasted.current });
      pasted.current = false;
      tail.current = typed.tail;
      return typed.text;
    },
    paste: () => {
      pasted.current = true;
      // A paste that changes nothing must not colour what is typed next.
      setTimeout(() => {
        pasted.current = false;
      });
    },
  };
}
