import {
  useLayoutEffect,
  useRef,
  useState,
  type FocusEventHandler,
  type ReactNode,
  type RefObject,
} from 'react';
import { CurrencyInput, type CurrencyInputOnChangeValues } from 'react-currency-input-field';
import { formatRupiah } from '#contract/base/money.ts';
import styles from '#web/ui/money/CurrencyField.module.css';
import { controlClass, Field, insideClass, type FieldProps } from '#web/ui/form/Field.tsx';
import { classes } from '#web/ui/classes.ts';
import {
  digitsIn,
  readRupiah,
  readTyped,
  unfinished,
  withPoint,
  type Tail,
  inWords,
} from '#web/ui/money/currency.ts';

type Props = FieldProps & {
  /** Rupiah, whole by default (see `decimals`); `undefined` when empty. */
  value: number | undefined;
  onChange: (amount: number | undefined) => void;
  /** The library's callback: its text (with a comma), the name, and three readings of it. */
  onValueChange?: (
    value: string | undefined,
    name: string | undefined,
    values: CurrencyInputOnChangeValues,
  ) => void;
  /** The step of the arrow keys, and their limits; typing may exceed them. */
  step?: number;
  min?: number;
  max?: number;
  /** The maximum number of digits; 15. */
  maxLength?: number;
  /** Decimals kept on blur; none. */
  decimals?: number;
  /** Also takes `50rb`, `1,5jt`, `2miliar`; `k`, `m` and `b` always work. */
  indonesianSuffixes?: boolean;
  /** Amounts for quick-select buttons. */
  quick?: readonly number[];
  placeholder?: string;
  id?: string;
  name?: string;
  className?: string;
  required?: boolean;
  disabled?: boolean;
  autoFocus?: boolean;
  onBlur?: FocusEventHandler<HTMLInputElement>;
};

/** From here on the amount is also shown in words: zeros are easily miscounted. */
const WORDS_FROM = 1_000_000;

const asText = (value: number | undefined): string => String(value ?? '').replace('.', ',');

/** A rupiah input: `1.250.000`, with suffixes `50k`, `1,5m`, `2b`. */
export function CurrencyField({ quick, ...props }: Props): ReactNode {
  const { value, disabled = false, onChange } = props;
  if (!quick) return <Amount {...props} />;
  return (
    <div className="stack gap-12">
      <Amount {...props} />
      <fieldset className="flex wrap gap-8" disabled={disabled}>
        <legend className="sr-only">Nominal siap pakai</legend>
        {quick.map((amount) => (
          <button
            key={amount}
            type="button"
            className={classes(
              'small strong num text-center min-h-44 px-8 border-control rounded surface',
              styles['choice'],
            )}
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

const fixed = {
  className: insideClass('num'),
  placeholder: '000.000',
  // Specified (docs/screens.md#fields); nothing reads it.
  mask: '999.999',
  inputMode: 'decimal',
  autoComplete: 'off',
  groupSeparator: '.',
  decimalSeparator: ',',
  allowNegativeValue: false,
  // Our code interprets letters before the library sees them.
  disableAbbreviations: true,
} as const;

const noticeLook = classes('small text-warning leading-ui', styles['notice']);

function Amount(props: Omit<Props, 'quick'>) {
  const { value, onChange, onValueChange, indonesianSuffixes = false, ...others } = props;
  const { label, help, error, hideLabel, size, id, className, onBlur, ...rest } = others;
  const { decimals = 0, maxLength = 15, ...input } = rest;
  const amount = useAmount(props, decimals);
  const reading = useReading({ indonesian: indonesianSuffixes, decimals, maxLength });
  const { notice } = reading;
  const frame = { help, error, id, className, required: input.required };
  const showsWords =
    value !== undefined && Math.abs(value) >= WORDS_FROM && Number.isSafeInteger(Math.trunc(value));

  return (
    <Field {...frame} label={<Named label={label} />} hideLabel={hideLabel ?? false}>
      {(links) => {
        const words = showsWords ? `${links.id}-words` : undefined;
        const noticeId = `${links.id}-notice`;
        return (
          <>
            <div
              className={controlClass(size)}
              onBlurCapture={({ target }) => {
                if (target === amount.ref.current) reading.leave(amount.ref.current.value);
              }}
            >
              <Prefix />
              <CurrencyInput
                key={amount.turn}
                ref={amount.ref}
                {...fixed}
                {...input}
                {...links}
                aria-describedby={
                  classes(words, notice && noticeId, links['aria-describedby']) || undefined
                }
                decimalScale={decimals}
                maxLength={maxLength}
                value={amount.text}
                transformRawValue={reading.read}
                onPaste={reading.paste}
                onFocus={() => amount.focus(true)}
                onBlur={(event) => {
                  amount.focus(false);
                  reading.left();
                  onBlur?.(event);
                }}
                onValueChange={(text, name, values) => {
                  amount.take(text);
                  // For a comma alone the library reports NaN.
                  if (text === '') onValueChange?.(undefined, name, EMPTY_VALUES);
                  else onValueChange?.(text, name, values ?? EMPTY_VALUES);
                }}
              />
              {indonesianSuffixes && (
                <Multipliers
                  disabled={input.disabled ?? false}
                  onPress={(word) => {
                    const text = reading.read(`${amount.text}${word}`);
                    if (digitsIn(text) <= maxLength) amount.take(text);
                  }}
                />
              )}
            </div>
            <p id={noticeId} className={noticeLook} role="status">
              {notice}
            </p>
            {words && <Words id={words} amount={value} />}
          </>
        );
      }}
    </Field>
  );
}

const Prefix = () => (
  <span className="faint ps-12" aria-hidden="true">
    Rp
  </span>
);

const Words = ({ id, amount = 0 }: { id: string; amount: number | undefined }) => (
  <p id={id} className={classes('small muted leading-ui', styles['words'])}>
    {inWords(amount)}
  </p>
);

type MultipliersProps = { disabled: boolean; onPress: (word: 'rb' | 'jt') => void };

/** Buttons for the suffix letters, which a phone's numeric keyboard lacks. */
const Multipliers = ({ disabled, onPress }: MultipliersProps) => (
  <span className={classes('gap-4', styles['multipliers'])}>
    {(
      [
        ['rb', 'ribu'],
        ['jt', 'juta'],
      ] as const
    ).map(([word, name]) => (
      <button
        key={word}
        type="button"
        className="small muted strong text-center min-h-36 px-8 rounded-sm sunken touch-square"
        disabled={disabled}
        aria-label={`${word}, kali se${name}`}
        // Keeps the focus in the field, and the phone's keyboard open.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => onPress(word)}
      >
        {word}
      </button>
    ))}
  </span>
);

const EMPTY_VALUES: CurrencyInputOnChangeValues = { float: null, formatted: '', value: '' };

const Named = ({ label }: { label: ReactNode }) => (
  <>
    {label}
    <span className="sr-only"> (rupiah)</span>
  </>
);

type Held = {
  text: string;
  /**
   * Counts outside values, as the input's key: the library remembers the last typed text for its caret, so a new value
   * needs a new input.
   */
  turn: number;
  ref: RefObject<HTMLInputElement | null>;
  take: (text: string | undefined) => void;
  focus: (here: boolean) => void;
};

/** The text of the value: as typed, or formatted from an outside value. */
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

type Reading = { indonesian: boolean; decimals: number; maxLength: number };

/** Interprets typed text with the letters so far (`50r`, then `50rb`) and pasted text; reports ignored letters. */
function useReading({ maxLength, ...how }: Reading) {
  const tail = useRef<Tail>(undefined);
  const pasted = useRef(false);
  const leaving = useRef(false);
  /** The number of digits before the last typed point. */
  const point = useRef<number>(undefined);
  const [notice, setNotice] = useState('');
  const shortly = how.indonesian
    ? 'rb (ribu) atau jt (juta)'
    : 'k (ribu), m (juta), atau b (miliar)';
  const unread = (letters: string) =>
    letters && `“${letters}” tidak dibaca. Tulis angka saja, atau singkat dengan ${shortly}.`;
  return {
    notice,
    read: (given: string): string => {
      if (leaving.current) return readTyped(given, how).text;
      if (given.endsWith('.')) point.current = digitsIn(given);
      const raw = withPoint(given, point.current);
      const typed = readTyped(raw, { ...how, tail: tail.current, pasted: pasted.current });
      const tooLong = digitsIn(typed.text) > maxLength;
      pasted.current = false;
      tail.current = typed.tail;
      setNotice(
        tooLong
          ? `Paling banyak ${maxLength} angka; yang berikutnya tidak dibaca.`
          : unread(typed.ignored),
      );
      return typed.text;
    },
    /**
     * On blur with this text: an unfinished suffix is ignored too. The library reads the text once more before its blur
     * event.
     */
    leave: (text: string) => {
      leaving.current = true;
      const begun = unread(unfinished(tail.current));
      const cents = how.decimals === 0 && /,0*[1-9]/.test(text);
      if (begun) setNotice(begun);
      else if (cents) setNotice('Angka di belakang koma tidak dibaca: rupiah ditulis bulat.');
    },
    left: () => {
      leaving.current = false;
      tail.current = undefined;
      point.current = undefined;
    },
    paste: () => {
      pasted.current = true;
      // A paste without a change must not affect later typing.
      setTimeout(() => {
        pasted.current = false;
      });
    },
  };
}

type AmountProps = Omit<Props, 'value' | 'onChange'> & {
  value: string;
  onChange: (text: string) => void;
};

/** The same for a form that holds the amount as text: '' while it is empty. */
export const AmountField = ({ value, onChange, ...field }: AmountProps) => (
  <CurrencyField
    {...field}
    value={value === '' ? undefined : Number(value)}
    onChange={(amount) => onChange(amount === undefined ? '' : String(amount))}
  />
);
