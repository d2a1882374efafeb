import { useLayoutEffect, useRef, useState, type ChangeEvent, type ComponentProps } from 'react';
import { controlClass, Field, insideClass, type FieldProps } from '#web/ui/form/Field.tsx';
import { caretFor, digitsOf, phoneDigits, showTyped } from '#web/ui/phone/phone.ts';

type Props = FieldProps &
  Omit<ComponentProps<'input'>, 'ref' | 'size' | 'type' | 'value' | 'defaultValue' | 'onChange'> & {
    /** Digits with the country in front: `6281234567890`; '' when empty. */
    value: string;
    onChange: (digits: string) => void;
  };

/**
 * One's own number, which is Indonesian: what is typed may be `0812…`, `812…`, `+62 812…`, and is
 * grouped while it is typed; the value is always digits with the country in front, at most 15. For
 * numbers of any country there is `HomeTelephoneField`, which is heavier.
 */
export function PhoneField({ value, onChange, ...props }: Props) {
  const { label, help, error, hideLabel, size, id, className, ...input } = props;
  const field = useRef<HTMLInputElement>(null);
  // How many digits follow the caret; a new object after each change, so that it is put there anew.
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
