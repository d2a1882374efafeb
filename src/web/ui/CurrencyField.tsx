import { useRef, useState, type FocusEventHandler } from 'react';
import { CurrencyInput } from 'react-currency-input-field';
import { controlClass, Field, insideClass, type FieldProps } from '#web/ui/Field.tsx';
import { readRupiah, tameTyped } from '#web/ui/rules/currency.ts';
import styles from '#web/ui/TextField.module.css';

type Props = FieldProps & {
  /** Whole rupiah; `undefined` when empty. */
  value: number | undefined;
  onChange: (amount: number | undefined) => void;
  id?: string;
  name?: string;
  className?: string;
  required?: boolean;
  disabled?: boolean;
  autoFocus?: boolean;
  onBlur?: FocusEventHandler<HTMLInputElement>;
  /** How much an arrow key adds or takes. */
  step?: number;
};

/** Rupiah as they are typed: `1.250.000`, and `50k`, `1,5m`, `2b` for the long ones. */
export function CurrencyField({ value, onChange, step, ...props }: Props) {
  const { label, help, error, hideLabel, size, id, className, ...input } = props;
  const [typed, setTyped] = useState('');
  const pasted = useRef(false);
  const shown = readRupiah(typed) === value ? typed : String(value ?? '');
  const frame = { label, help, error, id, className, required: input.required ?? false };

  return (
    <Field {...frame} hideLabel={hideLabel ?? false}>
      {(links) => (
        <div className={controlClass(size)}>
          <span className={styles['prefix']} aria-hidden="true">
            Rp
          </span>
          <CurrencyInput
            {...input}
            {...links}
            {...(step === undefined ? {} : { step })}
            className={insideClass('num')}
            placeholder="000.000"
            // The specification names this attribute; nothing reads it.
            {...{ mask: '999.999' }}
            inputMode="decimal"
            autoComplete="off"
            groupSeparator="."
            decimalSeparator=","
            decimalScale={0}
            allowNegativeValue={false}
            maxLength={15}
            value={shown}
            transformRawValue={(raw) => {
              const wasPasted = pasted.current;
              pasted.current = false;
              return tameTyped(raw, { pasted: wasPasted });
            }}
            onPaste={() => {
              pasted.current = true;
            }}
            onValueChange={(text) => {
              setTyped(text ?? '');
              onChange(readRupiah(text));
            }}
          />
        </div>
      )}
    </Field>
  );
}
