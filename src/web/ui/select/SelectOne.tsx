import { later } from '#web/browser/lazyComponent.ts';
import { Suspense, type ReactNode } from 'react';
import type { ComboboxProps } from '#web/ui/select/Combobox.tsx';
import { OPTIONS_PLAIN_MAX } from '#web/ui/select/options.ts';
import { Select } from '#web/ui/select/Select.tsx';

const Combobox = later(() => import('#web/ui/select/Combobox.tsx'));

type Props = Omit<ComboboxProps, 'clearable' | 'none' | 'onBlur'>;

/**
 * A select for a list of unknown length: up to twelve options the browser's own, more than that a combobox (its code is
 * loaded on demand; until then, the select).
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
