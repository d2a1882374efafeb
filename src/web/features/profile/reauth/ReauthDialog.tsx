import { useState } from 'react';
import { answerReauth } from '#web/api/reauth.ts';
import { isAbort } from '#web/api/errors.ts';
import { useUser } from '#web/api/user.ts';
import { UsernameField, usePasswordInput } from '#web/features/auth/auth.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { PasswordField } from '#web/ui/form/PasswordField.tsx';

function useProof() {
  const { ref, value, error: wrong, give, type } = usePasswordInput();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const send = async () => {
    if (busy) return;
    setError(undefined);
    setBusy(true);
    try {
      await give();
      answerReauth(true);
    } catch (no) {
      if (!isAbort(no)) setError(no);
    } finally {
      setBusy(false);
    }
  };
  // React does not render autoFocus as an attribute, and `<dialog>` looks for the attribute.
  const attach = (input: HTMLInputElement | null) => {
    ref.current = input;
    input?.setAttribute('autofocus', '');
  };
  return { attach, password: value, wrong, error, busy, type, send };
}

/** Asks for the password again for an act without a dialog of its own (`PasswordQuestion`). */
export function ReauthDialog() {
  const { phone } = useUser();
  const { attach, password, wrong, error, busy, type, send } = useProof();
  const close = () => busy || answerReauth(false);
  return (
    <FormModal
      onClose={close}
      title="Masukkan kata sandi Anda"
      size="sm"
      shape="sheet"
      submit="Lanjutkan"
      busy={busy}
      onSubmit={() => void send()}
    >
      <p className="muted pretty">
        Demi keamanan akun, tindakan ini meminta kata sandi Anda sekali lagi.
      </p>
      <RefusalAlert error={error} />
      <UsernameField phone={phone} />
      <PasswordField
        ref={attach}
        label="Kata sandi"
        required
        name="password"
        autoComplete="current-password"
        value={password}
        error={wrong}
        onChange={(event) => type(event.target.value)}
      />
    </FormModal>
  );
}
