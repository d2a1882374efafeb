import { useQueryClient } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { use, lazy, Suspense, useState } from 'react';
import type { SecondFactorRequired } from '#contract/accounts.ts';
import { accountActs, loadModule } from '#web/api/lazyApi.ts';
import { useAct } from '#web/api/query.ts';
import { later } from '#web/browser/lazyComponent.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { enterSession } from '#web/api/user.ts';
import { fieldErrors, type FieldErrors } from '#web/ui/form/fieldErrors.ts';
import styles from '#web/features/auth/auth.module.css';
import { CaptchaLine } from '#web/features/auth/captcha/CaptchaLine.tsx';
import { TypedPhoneField } from '#web/features/auth/login/TypedPhoneField.tsx';
import { TypedPhone } from '#web/features/auth/login/typedPhone.ts';
import { useCaptcha } from '#web/features/auth/captcha/useCaptcha.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { PasswordField } from '#web/ui/form/PasswordField.tsx';
import { classes } from '#web/ui/classes.ts';

/** Code for refusals and codes is loaded later, so that the form does not wait for it. */
const refused = async () => ({
  default: (await import('#web/ui/alert/RefusalAlert.tsx')).RefusalAlert,
});
const RefusalAlert = lazy(refused);

const SecondFactorStep = later(async () => {
  const { SecondFactorStep } = await import('#web/features/secondfactor/secondfactor.ts');
  return { SecondFactorStep };
});

const loginAct = async () => (await accountActs()).loginUser;

async function check(values: { phone: string; password: string }): Promise<FieldErrors> {
  const { captcha: _, ...wrong } = fieldErrors(await loginAct(), { ...values, captcha: 'later' });
  return { ...wrong, ...(values.phone === '' && { phone: 'Tulis nomor ponsel Anda.' }) };
}

/** Signs in, or continues to the code for a new browser; `useArrival` handles the next step. */
function useLogin() {
  const client = useQueryClient();
  const captcha = useCaptcha('user_login');
  const form = useForm({ phone: use(TypedPhone).get(), password: '' }, check);
  const [error, setError] = useState<unknown>();
  const [sending, setSending] = useState(false);
  const [asked, setAsked] = useState<SecondFactorRequired>();
  const login = useAct(loginAct);

  const send = async (values: { phone: string; password: string }) => {
    if (sending) return;
    setSending(true);
    setError(undefined);
    try {
      const signedIn = await captcha.send((answer) =>
        login.perform({ ...values, captcha: answer }),
      );
      if ('token' in signedIn) return enterSession(client, signedIn);
      if ('second_factor' in signedIn) return setAsked(signedIn);
      const { pendingFrom, savePending } = await loadModule(
        import('#web/features/auth/otp/pendingOtp.ts'),
      );
      savePending(pendingFrom(signedIn.challenge, { purpose: 'login', phone: values.phone }));
      await navigate({ to: '/auth/verify-otp' });
    } catch (no) {
      setError(no);
      form.refuse(no);
      setSending(false);
    }
  };
  const restart = () => {
    captcha.spent();
    setSending(false);
    setAsked(undefined);
  };
  return { captcha, form, error, sending, send, asked, restart };
}

/** Route `/auth/login`: phone and password. */
export function LoginPage() {
  const { captcha, form, error, sending, send, asked, restart } = useLogin();
  if (asked) return <SecondFactorStep asked={asked} onOver={restart} />;
  return (
    <>
      <PageTitle>Masuk</PageTitle>
      <p className="mt-8 muted">Dengan nomor ponsel yang Anda daftarkan.</p>
      <form
        ref={form.ref}
        noValidate
        className={styles['form']}
        onFocus={() => {
          captcha.start();
          void refused().catch(() => undefined);
        }}
        onSubmit={form.submit(send)}
      >
        {error !== undefined && (
          <Suspense>
            <RefusalAlert error={error} fields={['phone', 'password']} />
          </Suspense>
        )}
        <TypedPhoneField {...form.field('phone')} />
        <PasswordField
          label="Kata sandi"
          required
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
      <div className={classes(styles['other'], 'grid gap-12')}>
        <p>
          <Link to="/auth/forgot-password/phone">Lupa kata sandi?</Link>
        </p>
        <p>
          Belum punya akun? <Link to="/auth/register">Daftar</Link>
        </p>
      </div>
    </>
  );
}
