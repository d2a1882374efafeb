import { useEffect, useState } from 'react';
import type { Act } from '#contract/base/act.ts';
import { isPasswordOld, placeQuestion } from '#web/api/reauth.ts';
import { lastSeenUser } from '#web/api/user.ts';
import { UsernameField } from '#web/features/auth/password/UsernameField.tsx';
import { usePasswordInput } from '#web/features/auth/password/usePasswordInput.ts';
import { PasswordField } from '#web/ui/form/PasswordField.tsx';

type Props = {
  of: Act;
  /** True to show it only once the server has asked: for forms that are always open, and acts that may not need it. */
  quiet?: boolean;
};

/**
 * The last field of a dialog whose act requires a recent password; shown when the password is too old. `useAct` sends
 * it before the act.
 */
export function PasswordQuestion({ of: act, quiet = false }: Props) {
  const [wasOld, setOld] = useState(() => isPasswordOld(act));
  const [isAsked, setAsked] = useState(false);
  const { ref, value, error, focus, give, type } = usePasswordInput();
  const isShown = isAsked || (wasOld && !quiet);

  useEffect(() =>
    placeQuestion({
      act: act.name,
      give: async () => {
        if (!isShown) return;
        await give();
        setOld(false);
        setAsked(false);
      },
      show: () => {
        setAsked(true);
        focus();
      },
    }),
  );

  if (!isShown) return null;
  return (
    <div className="border-t ruled">
      <UsernameField phone={lastSeenUser()?.phone ?? ''} />
      <PasswordField
        ref={ref}
        label="Kata sandi Anda"
        required
        name="password"
        autoComplete="current-password"
        help="Diminta lagi demi keamanan akun Anda."
        value={value}
        error={error}
        onChange={(event) => type(event.target.value)}
      />
    </div>
  );
}
