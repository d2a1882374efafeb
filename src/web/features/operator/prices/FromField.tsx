import { TextField } from '#web/ui/text/TextField.tsx';

type Props = {
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
  onBlur: () => void;
};

/** From when on it counts. */
export const FromField = ({ value, error, onChange, onBlur }: Props) => (
  <TextField
    label="Berlaku mulai (WIB)"
    name="valid_from"
    type="datetime-local"
    help="Kosongkan agar berlaku sekarang juga."
    value={value}
    error={error}
    onChange={(event) => onChange(event.target.value)}
    onBlur={onBlur}
  />
);
