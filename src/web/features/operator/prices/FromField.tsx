import { MomentField } from '#web/features/operator/form/MomentField.tsx';
import type { Form } from '#web/ui/form/useForm.ts';

export const FromField = ({ form }: { form: Form<{ valid_from: string }> }) => (
  <MomentField
    form={form}
    name="valid_from"
    label="Berlaku mulai (WIB)"
    timeLabel="Jam"
    placeholder="Sekarang juga"
  />
);
