import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changePassword } from '#contract/people.ts';
import { useAct } from '#web/api/query.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { useUser } from '#web/api/user.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { UsernameField } from '#web/features/auth/auth.ts';
import { NewPasswordField } from '#web/features/auth/auth.ts';
import { sessionsQuery } from '#web/features/profile/queries.ts';
import { Section } from '#web/features/profile/Section.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { renewSessionToken } from '#web/browser/session.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { PasswordField } from '#web/ui/form/PasswordField.tsx';

const empty = { current: '', password: '' };

function useChange() {
  const client = useQueryClient();
  const change = useAct(changePassword);
  const form = useForm(empty, (values) => ({
    ...fieldErrors(changePassword, values),
    ...(values.current === '' && { current: 'Tulis kata sandi Anda yang sekarang.' }),
  }));
  const [error, setError] = useState<unknown>();
  const [done, setDone] = useState<string>();

  const send = async (values: typeof empty) => {
    if (change.busy) return;
    setError(undefined);
    setDone(undefined);
    try {
      const { ended, token } = await change.perform(values);
      renewSessionToken(token);
      form.set('current', '');
      form.set('password', '');
      setDone(doneWords(ended));
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    } catch (no) {
      setError(form.refuse(no, refusedField) ? undefined : no);
    }
  };
  return { form, busy: change.busy, error, done, send, close: () => setDone(undefined) };
}

export function PasswordPart() {
  const user = useUser();
  const { form, busy, error, done, send, close } = useChange();
  return (
    <Section
      id="kata-sandi"
      title="Kata sandi"
      about="Setelah diganti, sesi Anda di browser lain langsung berakhir."
    >
      <form ref={form.ref} noValidate className="stack gap-16" onSubmit={form.submit(send)}>
        <Alert state="success" visible={done !== undefined} label={done ?? ''} onClose={close} />
        <RefusalAlert error={error} fields={['current', 'password']} />
        <UsernameField phone={user.phone} />
        <PasswordField
          label="Kata sandi sekarang"
          required
          name="current"
          autoComplete="current-password"
          value={form.values.current}
          error={form.errors.current}
          onChange={(event) => form.set('current', event.target.value)}
          onBlur={() => form.leave('current')}
        />
        <NewPasswordField
          label="Kata sandi baru"
          value={form.values.password}
          error={form.errors.password}
          about={user}
          onChange={(password) => form.set('password', password)}
          onBlur={() => form.leave('password')}
        />
        <div>
          <Button type="submit" variant="subtle" busy={busy}>
            Ganti kata sandi
          </Button>
        </div>
      </form>
    </Section>
  );
}

const refusedField = { password_wrong: 'current', password_common: 'password' } as const;

const doneWords = (ended: number): string =>
  ended === 0 ? 'Kata sandi diganti.' : `Kata sandi diganti, dan ${ended} sesi lain diakhiri.`;
