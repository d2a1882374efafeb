import { lazy, Suspense, type ReactNode } from 'react';
import type { FieldProps } from '#web/ui/fields/Field.tsx';
import { OPTIONS_PLAIN_MAX, type Option } from '#web/ui/rules/options.ts';
import { Select } from '#web/ui/fields/Select.tsx';

const Combobox = lazy(async () => ({
  default: (await import('#web/ui/fields/Combobox.tsx')).Combobox,
}));

type Props = FieldProps & {
  options: readonly Option[];
  /** The value of the chosen option; '' when none is and no option has that value. */
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  name?: string;
  id?: string;
  className?: string;
  required?: boolean;
  disabled?: boolean;
};

/**
 * One of a list whose length is not known: up to twelve options the browser's own select, more than
 * that a list that is searched by typing (its code is fetched then; until it is here, the select).
 */
export function SelectOne({ onChange, ...props }: Props): ReactNode {
  const select = <Select {...props} onChange={({ target }) => onChange(target.value)} />;
  if (props.options.length <= OPTIONS_PLAIN_MAX) return select;
  return (
    <Suspense fallback={select}>
      <Combobox {...props} onChange={onChange} />
    </Suspense>
  );
}
