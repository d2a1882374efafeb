import { useLayoutEffect, useRef, useState, type ChangeEvent, type ComponentProps } from 'react';
import { controlClass, Field, insideClass, type FieldProps } from '#web/ui/form/Field.tsx';
import { caretFor, digitsOf, phoneDigits, showTyped } from '#web/ui/phone/phone.ts';

type Props = FieldProps &
  Omit<ComponentProps<'input'>, 'ref' | 'size' | 'type' | 'value' | 'defaultValue' | 'onChange'> & {
    /** Digits with the country code: `6281234567890`; '' when empty. */
    value: string;
    onChange: (digits: string) => void;
  };

/**
 * An Indonesian phone number of the user: accepts `0812…`, `812…`, `+62 812…` and groups it while typing; the value
 * always has the country code and at most 15 digits. For numbers of any country use `HomeTelephoneField`, which is
 * heavier.
 */
export function PhoneField({ value, onChange, ...props }: Props) {
  const { label, help, error, hideLabel, size, id, className, ...input } = props;
  const field = useRef<HTMLInputElement>(null);
  // The number of digits after the caret; a new object after each change, so that the caret is set again.
  const [behind, setBehind] = useState<{ caret: number }>();
  useLayoutEffect(() => {
    const input = field.current;
    if (!input || !behind || document.activeElement !== input) return;
    const at = caretFor(input.value, behind.caret);
    input.setSelectionRange(at, at);
  }, [behind]);

  const type = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const digits = phoneDigits(target.value);
    setBehind({ caret: digitsOf(target.value.slice(target.selectionStart ?? undefined)).length });
    if (digits.length <= 15) onChange(digits);
  };
  const frame = { label, help, error, id, className, required: input.required };
  return (
    <Field {...frame} hideLabel={hideLabel ?? false}>
      {(links) => (
        <div className={controlClass(size)}>
          <input
            autoComplete="tel"
            placeholder="0812-3456-7890"
            {...input}
            {...links}
            ref={field}
            type="tel"
            inputMode="tel"
            className={insideClass('num')}
            value={showTyped(value)}
            onChange={type}
          />
        </div>
      )}
    </Field>
  );
}
