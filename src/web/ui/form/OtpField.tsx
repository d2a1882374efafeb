import type { ClipboardEvent, ComponentPropsWithRef } from 'react';
import { controlClass, Field, insideClass, type FieldProps } from '#web/ui/form/Field.tsx';
import styles from '#web/ui/form/form.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = FieldProps &
  Omit<ComponentPropsWithRef<'input'>, 'size' | 'type' | 'value' | 'onChange'> & {
    value: string;
    onChange: (code: string) => void;
    /** Called once with the whole code when it is complete. */
    onComplete?: (code: string) => void;
    /** The number of digits; 6. */
    digits?: number;
  };

/** A one-time code in one box: phones offer the code, pasting "Kode: 123 456" works. */
export function OtpField({ value, onChange, onComplete, digits = 6, ...props }: Props) {
  const { label, help, error, hideLabel, size = 'xl', id, className, ...input } = props;
  const take = (text: string) => {
    const code = text.replace(/\D/g, '').slice(0, digits);
    if (code === value) return;
    onChange(code);
    if (code.length === digits) onComplete?.(code);
  };
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const text = event.clipboardData.getData('text');
    const whole = new RegExp(`(?<!\\d)(?:\\d[\\s-]?){${digits}}(?!\\d)`).exec(text)?.[0];
    if (!whole) return;
    event.preventDefault();
    take(whole);
  };
  const frame = { label, help, error, id, className, required: input.required };
  return (
    <Field {...frame} hideLabel={hideLabel ?? false}>
      {(links) => (
        <div className={controlClass(size)}>
          <input
            placeholder={'•'.repeat(digits)}
            {...input}
            {...links}
            type="text"
            inputMode="numeric"
            autoComplete="one-time-code"
            pattern={`[0-9]{${digits}}`}
            className={classes(insideClass(), 'strong num text-center', styles['code'])}
            value={value}
            onChange={(event) => take(event.target.value)}
            onPaste={paste}
          />
        </div>
      )}
    </Field>
  );
}
