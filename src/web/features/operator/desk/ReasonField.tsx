import { TextArea } from '#web/ui/text/TextField.tsx';

type Props = {
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
  onBlur: () => void;
  help?: string;
};

/** Why an operator does it: never left out, never shown to the customer. */
export const ReasonField = ({
  value,
  error,
  onChange,
  onBlur,
  help = 'Tercatat bersama nama Anda; pelanggan tidak membacanya.',
}: Props) => (
  <TextArea
    label="Alasan"
    name="reason"
    rows={2}
    required
    maxLength={300}
    help={help}
    value={value}
    error={error}
    onChange={(event) => onChange(event.target.value)}
    onBlur={onBlur}
  />
);
