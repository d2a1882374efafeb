import type { Form } from '#web/ui/form/useForm.ts';
import { TextField } from '#web/ui/text/TextField.tsx';

/** From when on it counts. */
export const FromField = ({ form }: { form: Form<{ valid_from: string }> }) => (
  <TextField
    label="Berlaku mulai (WIB)"
    name="valid_from"
    type="datetime-local"
    help="Kosongkan agar berlaku sekarang juga."
    value={form.values.valid_from}
    error={form.errors.valid_from}
    onChange={(event) => form.set('valid_from', event.target.value)}
    onBlur={() => form.leave('valid_from')}
  />
);
