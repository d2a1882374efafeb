import { use } from 'react';
import { TypedPhone } from '#web/features/auth/login/typedPhone.ts';
import { PhoneField } from '#web/ui/phone/PhoneField.tsx';

type Props = {
  form: {
    values: { phone: string };
    errors: { phone?: string };
    set: (name: 'phone', phone: string) => void;
    leave: (name: 'phone') => void;
  };
  help?: string;
};

/** The account's phone; it carries over to the next page of signing in. */
export function TypedPhoneField({ form, help }: Props) {
  const typed = use(TypedPhone);
  return (
    <PhoneField
      label="Nomor ponsel"
      required
      name="phone"
      autoComplete="username"
      size="lg"
      help={help}
      value={form.values.phone}
      error={form.errors.phone}
      onChange={(phone) => {
        typed.set(phone);
        form.set('phone', phone);
      }}
      onBlur={() => form.leave('phone')}
    />
  );
}
