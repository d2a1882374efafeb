import { PhoneField } from '#web/ui/phone/PhoneField.tsx';

/** Kept while the page is open, and nowhere else. */
let typed = '';

/** The number that was typed on the page before, so that nobody types it twice; '' when none was. */
export const typedPhone = (): string => typed;

type Props = {
  /** A form of `useForm` with a phone among its values. */
  form: {
    values: { phone: string };
    errors: { phone?: string };
    set: (name: 'phone', phone: string) => void;
    leave: (name: 'phone') => void;
  };
  help?: string;
};

/** Whose account it is; what is typed here need not be typed on the next page of signing in. */
export const TypedPhoneField = ({ form, help }: Props) => (
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
      typed = phone;
      form.set('phone', phone);
    }}
    onBlur={() => form.leave('phone')}
  />
);
