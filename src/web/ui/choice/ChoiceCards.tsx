import { useId, type ReactNode } from 'react';
import styles from '#web/ui/choice/ChoiceCards.module.css';
import { classes } from '#web/ui/classes.ts';

export type Choice<Value extends string> = {
  value: Value;
  title: ReactNode;
  aside?: ReactNode;
  children?: ReactNode;
};

type Props<Value extends string> = {
  legend: ReactNode;
  name: string;
  choices: readonly Choice<Value>[];
  value: Value | undefined;
  onChange: (value: Value) => void;
  error?: string | undefined;
};

/** Radio buttons in cards, for a few options that need an explanation. */
export function ChoiceCards<Value extends string>(props: Props<Value>) {
  const { legend, name, choices, value, onChange, error } = props;
  const errorId = useId();
  return (
    <fieldset
      role="radiogroup"
      // A refused form focuses the invalid group.
      tabIndex={-1}
      className="stack gap-8 min-w-0"
      aria-required="true"
      aria-invalid={error ? true : undefined}
      aria-describedby={error ? errorId : undefined}
    >
      <legend className="mb-6 small strong leading-ui">{legend}</legend>
      {choices.map((choice) => (
        <Card
          key={choice.value}
          choice={choice}
          name={name}
          isChosen={choice.value === value}
          onChoose={() => onChange(choice.value)}
        />
      ))}
      {error && (
        <p id={errorId} className="small text-danger semibold">
          {error}
        </p>
      )}
    </fieldset>
  );
}

type CardProps<Value extends string> = {
  choice: Choice<Value>;
  name: string;
  isChosen: boolean;
  onChoose: () => void;
};

function Card<Value extends string>({ choice, name, isChosen, onChoose }: CardProps<Value>) {
  const id = useId();
  return (
    <label className={classes('option grid gap-12 py-12 px-12', styles['card'])}>
      <input
        className="mt-2"
        type="radio"
        name={name}
        value={choice.value}
        checked={isChosen}
        onChange={onChoose}
        aria-labelledby={`${id}-title`}
        aria-describedby={choice.children ? `${id}-about` : undefined}
      />
      <span className="grid gap-4 min-w-0">
        <span className="row wrap justify-between gap-4 gap-x-12">
          <span id={`${id}-title`} className="strong">
            {choice.title}
          </span>
          {choice.aside}
        </span>
        {choice.children && (
          <span id={`${id}-about`} className={classes('grid gap-6 small muted', styles['about'])}>
            {choice.children}
          </span>
        )}
      </span>
    </label>
  );
}
