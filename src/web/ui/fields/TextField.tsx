import { X } from 'lucide-react';
import { useState, type ComponentPropsWithRef, type ReactNode } from 'react';
import { controlClass, Field, insideClass, type FieldProps } from '#web/ui/fields/Field.tsx';
import { classes } from '#web/ui/rules/classes.ts';
import { lengthShown, roomLeft } from '#web/ui/rules/textLength.ts';
import styles from '#web/ui/fields/TextField.module.css';

type Props = FieldProps &
  Omit<ComponentPropsWithRef<'input'>, 'size' | 'prefix'> & {
    /** Shown before and after the text, never part of the value. */
    prefix?: ReactNode;
    suffix?: ReactNode;
    /** Beside the label, at its end. */
    aside?: ReactNode;
    /** Empties the value; with it a button stands at the end while there is one. */
    onClear?: (() => void) | undefined;
  };

/** A line of text. Spreads of `register('name')` (react-hook-form) fit as they are. */
export function TextField(props: Props) {
  const { label, help, error, hideLabel, size, prefix, suffix, aside, id, className, ...rest } =
    props;
  const { onClear, ...input } = rest;
  const frame = { label, help, error, id, aside, className, required: input.required };
  const clearable = onClear && input.value && !input.disabled && !input.readOnly;
  return (
    <Field {...frame} hideLabel={hideLabel ?? false}>
      {(links) => {
        // A unit is read after the name and the value, before the help.
        const unit = suffix === undefined ? undefined : `${links.id}-unit`;
        const described = classes(unit, links['aria-describedby']) || undefined;
        return (
          <div className={controlClass(size, onClear && styles['clears'])}>
            {prefix && <span className={styles['prefix']}>{prefix}</span>}
            <input
              type="text"
              {...input}
              {...links}
              aria-describedby={described}
              className={insideClass()}
            />
            {suffix !== undefined && (
              <span id={unit} className={styles['suffix']}>
                {suffix}
              </span>
            )}
            {clearable && <Clear label={label} onClear={onClear} />}
          </div>
        );
      }}
    </Field>
  );
}

/** Empties the field beside it and goes back into it. */
const Clear = ({ label, onClear }: { label: ReactNode; onClear: () => void }) => (
  <button
    type="button"
    className={styles['clear']}
    aria-label={classes('Hapus isian', typeof label === 'string' && label)}
    onClick={({ currentTarget }) => {
      currentTarget.parentElement?.querySelector('input')?.focus();
      onClear();
    }}
  >
    <X size={16} aria-hidden="true" />
  </button>
);

type AreaProps = FieldProps &
  ComponentPropsWithRef<'textarea'> & {
    /** Shows how much of `maxLength` is used, and tells ears when it is nearly all. */
    counter?: boolean;
  };

/** Several lines of text; grows with them where the browser can. */
export function TextArea({ counter = false, ...props }: AreaProps) {
  const { label, help, error, hideLabel, size, id, className, ...input } = props;
  const { maxLength, value, defaultValue, onInput } = input;
  const [typed, setTyped] = useState(String(defaultValue ?? '').length);
  const length = typeof value === 'string' ? value.length : typed;
  const counted = counter && maxLength !== undefined;
  const frame = { label, help, error, id, className, required: input.required };
  return (
    <Field
      {...frame}
      hideLabel={hideLabel ?? false}
      aside={counted && <Counter length={length} max={maxLength} />}
    >
      {(links) => (
        <textarea
          rows={4}
          {...input}
          {...links}
          className={controlClass(size, styles['area'])}
          onInput={(event) => {
            setTyped(event.currentTarget.value.length);
            onInput?.(event);
          }}
        />
      )}
    </Field>
  );
}

const Counter = ({ length, max }: { length: number; max: number }) => (
  <span className={styles['counter']}>
    <span data-full={length >= max || undefined}>
      <span className="sr-only">Karakter: </span>
      {lengthShown(length, max)}
    </span>
    <span role="status" className="sr-only">
      {roomLeft(length, max)}
    </span>
  </span>
);
