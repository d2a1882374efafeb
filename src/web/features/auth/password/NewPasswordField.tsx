import { passwordStrength } from '#web/features/auth/password/passwordStrength.ts';
import type { FieldSize } from '#web/ui/form/Field.tsx';
import { PasswordField, Strength } from '#web/ui/form/PasswordField.tsx';

type Props = {
  label: string;
  size?: FieldSize;
  value: string;
  error: string | undefined;
  /** The owner's name and phone, which a guesser would try first. */
  about: { name: string; phone: string };
  onChange: (text: string) => void;
  onBlur: () => void;
};

export const NewPasswordField = ({ about, onChange, ...field }: Props) => (
  <PasswordField
    {...field}
    required
    name="password"
    autoComplete="new-password"
    help="Minimal 8 karakter. Beberapa kata acak mudah diingat dan sulit ditebak."
    strength={field.value !== '' && <Strength {...passwordStrength(field.value, about)} />}
    onChange={(event) => onChange(event.target.value)}
  />
);
