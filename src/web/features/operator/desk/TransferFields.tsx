import { TextField } from '#web/ui/text/TextField.tsx';

type Name = 'reference' | 'payee';
type Props = {
  values: Readonly<Record<Name, string>>;
  errors: Partial<Record<Name, string>>;
  onChange: (name: Name, value: string) => void;
  onBlur: (name: Name) => void;
  /** Whose bank account it has to be. */
  payeeHelp: string;
};

/** The transfer that was made at the bank: its reference, and whose account it went to. */
export const TransferFields = ({ values, errors, onChange, onBlur, payeeHelp }: Props) => (
  <>
    <TextField
      label="Referensi transfer dari bank"
      name="reference"
      required
      autoComplete="off"
      maxLength={100}
      help="Transfer dulu di bank, lalu tulis referensinya. Satu referensi hanya untuk satu pencairan."
      value={values.reference}
      error={errors.reference}
      onChange={(event) => onChange('reference', event.target.value)}
      onBlur={() => onBlur('reference')}
    />
    <TextField
      label="Nama pemilik rekening tujuan"
      name="payee"
      required
      autoComplete="off"
      maxLength={100}
      help={payeeHelp}
      value={values.payee}
      error={errors.payee}
      onChange={(event) => onChange('payee', event.target.value)}
      onBlur={() => onBlur('payee')}
    />
  </>
);
