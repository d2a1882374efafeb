import { X } from 'lucide-react';
import { useState, type ComponentPropsWithRef, type InputEvent, type ReactNode } from 'react';
import {
  controlClass,
  Field,
  fieldTool,
  insideClass,
  type FieldProps,
} from '#web/ui/form/Field.tsx';
import { classes } from '#web/ui/classes.ts';
import { isNearlyFull, tooLong } from '#web/ui/text/textLength.ts';
import { TextCounter } from '#web/ui/text/TextCounter.tsx';
import styles from '#web/ui/text/TextField.module.css';

type Props = FieldProps &
  Omit<ComponentPropsWithRef<'input'>, 'size' | 'prefix'> & {
    /** Beside the text, never part of the value. */
    prefix?: ReactNode;
    suffix?: ReactNode;
    aside?: ReactNode;
    /** Clears the value; adds a button while there is one. */
    onClear?: (() => void) | undefined;
  };

/**
 * A single-line text field; accepts the spread of `register('name')` (react-hook-form). Text beyond `maxLength` stays
 * in the field and is reported as too long, never truncated.
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
        // Screen readers read a unit after the name and the value, before the help.
        const unit = suffix === undefined ? undefined : `${links.id}-unit`;
        const described = classes(unit, links['aria-describedby']) || undefined;
        return (
          <div className={controlClass(size, onClear && styles['clears'])}>
            {prefix && (
              <span className="inline-flex align-center faint nowrap ps-12">{prefix}</span>
            )}
            <input
              type="text"
              {...input}
              {...links}
              onInput={take}
              aria-describedby={described}
              className={insideClass()}
            />
            {suffix !== undefined && (
              <span
                id={unit}
                className={classes('inline-flex align-center faint nowrap', styles['suffix'])}
              >
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

const Clear = ({ label, onClear }: { label: ReactNode; onClear: () => void }) => (
  <button
    type="button"
    className={fieldTool()}
    aria-label={classes('Hapus isian', typeof label === 'string' && label)}
    onClick={({ currentTarget }) => {
      currentTarget.parentElement?.querySelector('input')?.focus();
      onClear();
    }}
  >
    <X size={16} />
  </button>
);

type AreaProps = FieldProps &
  ComponentPropsWithRef<'textarea'> & {
    /** Always shows how much of `maxLength` is used, not only near the limit. */
    counter?: boolean;
  };

/** A multi-line text field; grows with its text where the browser supports it. Never truncated, as in `TextField`. */
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
          className={controlClass(size, classes('block leading-text', styles['area']))}
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
 * The counter of a nearly full field (or `always`), and its error beyond `maxLength`. The browser's own `maxlength` is
 * not set, because it truncates pasted text silently.
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
