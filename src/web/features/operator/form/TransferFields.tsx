import type { Form } from '#web/ui/form/useForm.ts';
import { TextField } from '#web/ui/text/TextField.tsx';

type Props = {
  form: Form<{ reference: string; payee: string }>;
  payeeHelp: string;
};

export const TransferFields = ({ form, payeeHelp }: Props) => (
  <>
    <TextField
      label="Referensi transfer dari bank"
      name="reference"
      required
      autoComplete="off"
      maxLength={100}
      help="Transfer dulu di bank, lalu tulis referensinya. Satu referensi hanya untuk satu pencairan."
      value={form.values.reference}
      error={form.errors.reference}
      onChange={(event) => form.set('reference', event.target.value)}
      onBlur={() => form.leave('reference')}
    />
    <TextField
      label="Nama pemilik rekening tujuan"
      name="payee"
      required
      autoComplete="off"
      maxLength={100}
      help={payeeHelp}
      value={form.values.payee}
      error={form.errors.payee}
      onChange={(event) => form.set('payee', event.target.value)}
      onBlur={() => form.leave('payee')}
    />
  </>
);
