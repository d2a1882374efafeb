import { useState, type ChangeEvent, type ComponentPropsWithRef } from 'react';
import { controlClass, Field, insideClass, type FieldProps } from '#web/ui/Field.tsx';
import { phoneDigits, showTyped } from '#web/ui/rules/phone.ts';

type Props = FieldProps &
  Omit<ComponentPropsWithRef<'input'>, 'size' | 'type' | 'value' | 'defaultValue' | 'onChange'> & {
    /** Digits with the country in front: `6281234567890`; '' when empty. */
    value: string;
    onChange: (digits: string) => void;
  };

/**
 * A telephone number, Indonesian unless it starts with `+` or `00`. What is typed may be `0812…`,
 * `812…`, `+62 812…`; the value is always digits with the country in front, at most 15.
 * It is written `+62 812-3456-7890` once the field is left.
 */
export function PhoneField({ value, onChange, ...props }: Props) {
  const { label, help, error, hideLabel, size, id, className, onBlur, ...input } = props;
  const [typed, setTyped] = useState<{ text: string; digits: string }>();
  // A value set from outside replaces what was typed.
  const shown = typed?.digits === value ? typed.text : showTyped(value);

  const type = (event: ChangeEvent<HTMLInputElement>) => {
    const text = event.target.value.replace(/[^\d+\s().-]/g, '');
    const digits = phoneDigits(text);
    if (digits.length > 15) return;
    setTyped({ text, digits });
    onChange(digits);
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
            type="tel"
            inputMode="tel"
            className={insideClass('num')}
            value={shown}
            onChange={type}
            onBlur={(event) => {
              setTyped(undefined);
              onBlur?.(event);
            }}
          />
        </div>
      )}
    </Field>
  );
}
