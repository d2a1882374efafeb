import { useId, type ReactNode } from 'react';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import styles from '#web/ui/form/form.module.css';
import { classes } from '#web/ui/classes.ts';

type Choice = { value: string; label: ReactNode; help?: ReactNode; disabled?: boolean };

type Props = {
  legend: ReactNode;
  options: readonly Choice[];
  /** The checked values, in the order of the options. */
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
  /** The label of a select-all box above the others. */
  all?: ReactNode;
  name?: string;
  help?: ReactNode;
  error?: string | undefined;
  /** Requires at least one. */
  required?: boolean;
  disabled?: boolean;
};

/**
 * A group of checkboxes with one name. Its help and error are above the boxes: below many boxes they would be missed.
 */
export function CheckboxGroup(props: Props) {
  const { legend, options, value, onChange, all, name, required = false, disabled = false } = props;
  const noteId = useId();
  const note = props.error ?? props.help;
  const checked = new Set(value);
  const free = options.filter((option) => !option.disabled);
  const ticked = free.filter((option) => checked.has(option.value)).length;
  const put = (changed: readonly Choice[], on: boolean) => {
    const touched = new Set(changed.map((option) => option.value));
    const keeps = ({ value: one }: Choice) => (touched.has(one) ? on : checked.has(one));
    onChange(options.filter(keeps).map((option) => option.value));
  };
  return (
    <fieldset className="min-w-0" disabled={disabled} aria-describedby={note ? noteId : undefined}>
      <legend className="small strong leading-ui">
        {legend}
        {required && (
          <>
            <span className="sr-only"> (wajib)</span>
            <span className={styles['checkboxGroupStar']} aria-hidden="true" />
          </>
        )}
      </legend>
      <p
        id={noteId}
        className={
          props.error
            ? classes('small text-danger leading-ui semibold', styles['checkboxGroupError'])
            : classes('small faint leading-ui', styles['checkboxGroupHelp'])
        }
        aria-live="polite"
        hidden={!note}
      >
        {note}
      </p>
      {all !== undefined && (
        <Checkbox
          label={all}
          checked={free.length > 0 && ticked === free.length}
          indeterminate={ticked > 0 && ticked < free.length}
          onChange={({ target }) => put(free, target.checked)}
        />
      )}
      <div className={classes(all !== undefined && styles['under'])}>
        {options.map((option) => (
          <Checkbox
            key={option.value}
            name={name}
            value={option.value}
            label={option.label}
            help={option.help}
            invalid={props.error !== undefined}
            disabled={option.disabled}
            checked={checked.has(option.value)}
            onChange={({ target }) => put([option], target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}
