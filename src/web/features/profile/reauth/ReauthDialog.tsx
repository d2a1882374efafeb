import { useId, useRef, useState } from 'react';
import { peopleActs } from '#web/api/lazyApi.ts';
import { refusalCode, sentenceOf } from '#web/api/errors.ts';
import { answerReauth } from '#web/api/reauth.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import { renewSessionToken } from '#web/browser/session.ts';
import { UsernameField } from '#web/features/auth/auth.ts';
import styles from '#web/features/profile/profile.module.css';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { FormActions } from '#web/ui/form/FormActions.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { PasswordField } from '#web/ui/form/PasswordField.tsx';

const EMPTY = 'Tulis kata sandi Anda.';

function useProof() {
  const field = useRef<HTMLInputElement>(null);
  const [password, setPassword] = useState('');
  const [wrong, setWrong] = useState<string>();
  const [error, setError] = useState<unknown>();
  const reauthUser = useAct(async () => (await peopleActs()).reauthUser);

  const retry = (sentence: string) => {
    setWrong(sentence);
    field.current?.focus();
    field.current?.select();
  };
  const send = async () => {
    if (reauthUser.busy) return;
    setError(undefined);
    if (password === '') return retry(EMPTY);
    try {
      const { token } = await reauthUser.perform({ password });
      if (token !== undefined) renewSessionToken(token);
      answerReauth(true);
    } catch (no) {
      if (refusalCode(no) === 'password_wrong') retry(sentenceOf(no));
      else setError(no);
    }
  };

  const type = (typed: string) => {
    setPassword(typed);
    setWrong(undefined);
  };
  // React does not render autoFocus as an attribute, and `<dialog>` looks for the attribute.
  const attach = (input: HTMLInputElement | null) => {
    field.current = input;
    input?.setAttribute('autofocus', '');
  };
  return { attach, password, wrong, error, busy: reauthUser.busy, type, send };
}

/** Asks for the password again, before actions that a stranger at this computer must not take. */
export function ReauthDialog() {
  const { phone } = useUser();
  const form = useId();
  const { attach, password, wrong, error, busy, type, send } = useProof();
  const close = () => busy || answerReauth(false);
  return (
    <Modal
      open
      onClose={close}
      title="Masukkan kata sandi Anda"
      size="sm"
      shape="sheet"
      footer={
        <FormActions form={form} busy={busy} onCancel={close}>
          Lanjutkan
        </FormActions>
      }
    >
      <form
        id={form}
        noValidate
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p className={styles['lead']}>
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
      </form>
    </Modal>
  );
}
