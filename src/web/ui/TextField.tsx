import type { ComponentPropsWithRef, ReactNode } from 'react';
import { controlClass, Field, insideClass, type FieldProps } from '#web/ui/Field.tsx';
import styles from '#web/ui/TextField.module.css';

type Props = FieldProps &
  Omit<ComponentPropsWithRef<'input'>, 'size' | 'prefix'> & {
    /** Shown before and after the text, never part of the value. */
    prefix?: ReactNode;
    suffix?: ReactNode;
    /** Beside the label, at its end. */
    aside?: ReactNode;
  };

/** A line of text. Spreads of `register('name')` (react-hook-form) fit as they are. */
export function TextField(props: Props) {
  const { label, help, error, hideLabel, size, prefix, suffix, aside, id, className, ...input } =
    props;
  const frame = { label, help, error, id, aside, className, required: input.required };
  return (
    <Field {...frame} hideLabel={hideLabel ?? false}>
      {(links) => (
        <div className={controlClass(size)}>
          {prefix && <span className={styles['prefix']}>{prefix}</span>}
          <input type="text" {...input} {...links} className={insideClass()} />
          {suffix && <span className={styles['suffix']}>{suffix}</span>}
        </div>
      )}
    </Field>
  );
}

type AreaProps = FieldProps & ComponentPropsWithRef<'textarea'>;

/** Several lines of text; grows with them where the browser can. */
export function TextArea(props: AreaProps) {
  const { label, help, error, hideLabel, size, id, className, ...input } = props;
  const frame = { label, help, error, id, className, required: input.required };
  return (
    <Field {...frame} hideLabel={hideLabel ?? false}>
      {(links) => (
        <textarea rows={4} {...input} {...links} className={controlClass(size, styles['area'])} />
      )}
    </Field>
  );
}
