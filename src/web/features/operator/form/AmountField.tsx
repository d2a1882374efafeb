import type { Form } from '#web/ui/form/useForm.ts';
import { CurrencyField } from '#web/ui/money/CurrencyField.tsx';

type Props<Name extends string> = {
  form: Form<Record<Name, string>>;
  name: Name;
  label: string;
  help?: string;
  required?: boolean;
  /** Whether it accepts `50rb`. */
  indonesianSuffixes?: boolean;
};

/** An amount field of a form that holds it as text: '' while it is empty. */
export function AmountField<Name extends string>({ form, name, ...field }: Props<Name>) {
  const typed = form.values[name];
  // For a generic name, the compiler cannot infer that the value is a text.
  const set = form.set as (name: Name, value: string) => void;
  return (
    <CurrencyField
      {...field}
      name={name}
      value={typed === '' ? undefined : Number(typed)}
      error={form.errors[name]}
      onChange={(amount) => set(name, amount === undefined ? '' : String(amount))}
      onBlur={() => form.leave(name)}
    />
  );
}
