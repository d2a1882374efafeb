import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { accountActs } from '#web/client/calls.ts';
import { useAct } from '#web/client/query.ts';
import { useForm } from '#web/client/useForm.ts';
import { enterSession } from '#web/client/user.ts';
import { wrongFields, type WrongFields } from '#web/client/wrongFields.ts';
import styles from '#web/features/auth/auth.module.css';
import { CaptchaLine } from '#web/features/auth/CaptchaLine.tsx';
import { Refused } from '#web/features/shell/Refused.tsx';
import { useCaptcha } from '#web/features/auth/useCaptcha.ts';
import { Button } from '#web/ui/Button.tsx';
import { PageTitle } from '#web/ui/PageTitle.tsx';
import { PasswordField } from '#web/ui/PasswordField.tsx';
import { PhoneField } from '#web/ui/PhoneField.tsx';

const loginAct = async () => (await accountActs()).loginUser;

async function check(values: { phone: string; password: string }): Promise<WrongFields> {
  const { captcha: _, ...wrong } = wrongFields(await loginAct(), { ...values, captcha: 'later' });
  return { ...wrong, ...(values.phone === '' && { phone: 'Tulis nomor ponsel Anda.' }) };
}

/** Route `/auth/login`: phone and password. Where to go next is known to `useArrival`. */
export function LoginPage() {
  const client = useQueryClient();
  const captcha = useCaptcha('user_login');
  const form = useForm({ phone: '', password: '' }, check);
  const [error, setError] = useState<unknown>();
  const [sending, setSending] = useState(false);
  const login = useAct(loginAct);

  const send = async (values: { phone: string; password: string }) => {
    if (sending) return;
    setSending(true);
    setError(undefined);
    try {
      const answer = await captcha.answer();
      enterSession(client, await login.perform({ ...values, captcha: answer }));
    } catch (no) {
      captcha.spent();
      setError(no);
      form.refuse(no);
      setSending(false);
    }
  };

  return (
    <>
      <PageTitle>Masuk</PageTitle>
      <p className={styles['lead']}>Dengan nomor ponsel yang Anda daftarkan.</p>
      <form
        ref={form.ref}
        noValidate
        className={styles['form']}
        onFocus={captcha.start}
        onSubmit={form.submit(send)}
      >
        <Refused error={error} fields={['phone', 'password']} />
        <PhoneField
          label="Nomor ponsel"
          name="phone"
          autoComplete="username"
          size="lg"
          value={form.values.phone}
          error={form.errors.phone}
          onChange={(phone) => form.set('phone', phone)}
          onBlur={() => form.leave('phone')}
        />
        <PasswordField
          label="Kata sandi"
          name="password"
          autoComplete="current-password"
          size="lg"
          value={form.values.password}
          error={form.errors.password}
          onChange={(event) => form.set('password', event.target.value)}
        />
        <CaptchaLine captcha={captcha} />
        <Button type="submit" size="lg" block busy={sending}>
          Masuk
        </Button>
      </form>
      <p className={styles['other']}>
        Belum punya akun? <Link to="/auth/register">Daftar</Link>
      </p>
    </>
  );
}
