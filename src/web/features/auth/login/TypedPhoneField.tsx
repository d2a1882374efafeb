import { use, type ComponentProps } from 'react';
import { TypedPhone } from '#web/features/auth/login/typedPhone.ts';
import { PhoneField } from '#web/ui/phone/PhoneField.tsx';

type Props = Omit<ComponentProps<typeof PhoneField>, 'label'>;

/** The account's phone; it carries over to the next page of signing in. */
export function TypedPhoneField({ onChange, ...field }: Props) {
  const typed = use(TypedPhone);
  return (
    <PhoneField
      label="Nomor ponsel"
      required
      autoComplete="username"
      size="lg"
      {...field}
      onChange={(phone) => {
        typed.set(phone);
        onChange(phone);
      }}
    />
  );
}
