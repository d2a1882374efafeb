import type { LiveSetting } from '#contract/operator/settings.ts';
import { HoursField } from '#web/features/operator/settings/HoursField.tsx';
import { CurrencyField } from '#web/ui/money/CurrencyField.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';

type Props = {
  setting: LiveSetting;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
  onBlur: () => void;
};

const switches = [
  { value: 'on', label: 'Nyala' },
  { value: 'off', label: 'Mati' },
];

export function SettingField({ setting, value, error, onChange, onBlur }: Props) {
  const { kind, label, help, max, optional } = setting;
  const field = { label, help, name: 'value', required: !optional, error, onBlur };
  switch (kind) {
    case 'hours':
      return <HoursField value={value} error={error} onChange={onChange} />;
    case 'switch':
      return (
        <Select
          {...field}
          options={switches}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'rupiah':
      return (
        <CurrencyField
          {...field}
          value={value === '' ? undefined : Number(value)}
          onChange={(amount) => onChange(amount === undefined ? '' : String(amount))}
        />
      );
    case 'sentence':
      return (
        <TextArea
          {...field}
          rows={3}
          maxLength={max ?? undefined}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'whole':
    case 'decimal':
      return (
        <TextField
          {...field}
          inputMode={kind === 'whole' ? 'numeric' : 'decimal'}
          autoComplete="off"
          value={value}
          // Accepts the local decimal comma.
          onChange={(event) => onChange(event.target.value.replace(',', '.'))}
        />
      );
    default:
      return (
        <TextField
          {...field}
          type={kind === 'email' ? 'email' : 'text'}
          autoComplete="off"
          maxLength={max ?? undefined}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}
