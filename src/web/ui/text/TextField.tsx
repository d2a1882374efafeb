import { X } from 'lucide-react';
import { useState, type ComponentPropsWithRef, type InputEvent, type ReactNode } from 'react';
import { controlClass, Field, insideClass, type FieldProps } from '#web/ui/form/Field.tsx';
import { classes } from '#web/ui/classes.ts';
import { isNearlyFull, tooLong } from '#web/ui/text/textLength.ts';
import { TextCounter } from '#web/ui/text/TextCounter.tsx';
import styles from '#web/ui/text/TextField.module.css';

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

/**
 * A line of text. Spreads of `register('name')` (react-hook-form) fit as they are. What is longer than `maxLength`
 * stays as it is, and is reported to be too long: nothing that was typed or pasted is ever cut off.
 */
export function TextField(props: Props) {
  const { label, help, hideLabel, size, prefix, suffix, id, className, ...rest } = props;
  const { onClear, maxLength, error: _, aside: _a, ...input } = rest;
  const { error, counter, take } = useLength<HTMLInputElement>(props);
  const aside = props.aside ?? (hideLabel ? undefined : counter);
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
              onInput={take}
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
    /** Shows how much of `maxLength` is used from the start, not only when it is nearly all. */
    counter?: boolean;
  };

/** Several lines of text; grows with them where the browser can. Never cut off, as in `TextField`. */
export function TextArea({ counter: always = false, ...props }: AreaProps) {
  const { label, help, error: _, hideLabel, size, id, className, ...rest } = props;
  const { maxLength, ...input } = rest;
  const { error, counter, take } = useLength<HTMLTextAreaElement>(props, always);
  const frame = { label, help, error, id, className, required: input.required };
  return (
    <Field {...frame} hideLabel={hideLabel ?? false} aside={counter}>
      {(links) => (
        <textarea
          rows={4}
          {...input}
          {...links}
          className={controlClass(size, styles['area'])}
          onInput={take}
        />
      )}
    </Field>
  );
}

type Measured<Control> = {
  value?: unknown;
  defaultValue?: unknown;
  maxLength?: number | undefined;
  error?: string | undefined;
  onInput?: ((event: InputEvent<Control>) => void) | undefined;
};

/**
 * How full a field is: its counter when it is nearly full (or `always`), and, beyond `maxLength`, what is wrong. The
 * browser's own `maxlength` is not set: it cuts off what is pasted without a word.
 */
function useLength<Control extends { value: string }>(props: Measured<Control>, always = false) {
  const { value, defaultValue, maxLength: max, error, onInput } = props;
  const [typed, setTyped] = useState(typeof defaultValue === 'string' ? defaultValue.length : 0);
  const length = typeof value === 'string' ? value.length : typed;
  const take = (event: InputEvent<Control>) => {
    setTyped((event.currentTarget as Control).value.length);
    onInput?.(event);
  };
  if (max === undefined) return { error, counter: undefined, take };
  const shown = always || isNearlyFull(length, max);
  return {
    error: tooLong(length, max) ?? error,
    counter: shown && <TextCounter length={length} max={max} />,
    take,
  };
}
