import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { use } from 'react';
import { peopleActs } from '#web/api/lazyApi.ts';
import { useAct } from '#web/api/query.ts';
import { useSend } from '#web/ui/form/useActForm.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { fieldErrors, type FieldErrors } from '#web/ui/form/fieldErrors.ts';
import styles from '#web/features/auth/auth.module.css';
import { CaptchaLine } from '#web/features/auth/captcha/CaptchaLine.tsx';
import { pendingFrom, readPending, savePending } from '#web/features/auth/otp/pendingOtp.ts';
import { TypedPhoneField } from '#web/features/auth/login/TypedPhoneField.tsx';
import { TypedPhone } from '#web/features/auth/login/typedPhone.ts';
import { useCaptcha } from '#web/features/auth/captcha/useCaptcha.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';

const forgotAct = async () => (await peopleActs()).forgotPassword;

async function check(values: { phone: string }): Promise<FieldErrors> {
  if (values.phone === '') return { phone: 'Tulis nomor ponsel Anda.' };
  const { captcha: _, ...wrong } = fieldErrors(await forgotAct(), { ...values, captcha: 'later' });
  return wrong;
}

/** True when this tab has a pending code for that number and may not request another yet. */
function isWaiting(phone: string): boolean {
  const pending = readPending();
  return pending?.purpose === 'forgot' && pending.phone === phone && pending.resendAt > Date.now();
}

/** Route `/auth/forgot-password/phone`: asks for the number, then sends a code to it. */
export function ForgotPhonePage() {
  const captcha = useCaptcha('user_forgot_password');
  const form = useForm({ phone: use(TypedPhone).get() || (readPending()?.phone ?? '') }, check);
  const forgot = useAct(forgotAct);
  const send = async ({ phone }: { phone: string }) => {
    if (isWaiting(phone)) return navigate({ to: '/auth/forgot-password/otp' });
    const made = await captcha.send((answer) => forgot.perform({ phone, captcha: answer }));
    savePending(pendingFrom(made, { purpose: 'forgot', phone }));
    return navigate({ to: '/auth/forgot-password/otp' });
  };
  const { onSubmit, busy, error } = useSend(form, send);

  return (
    <>
      <PageTitle>Lupa kata sandi</PageTitle>
      <p className="mt-8 muted">
        Kami mengirim kode ke nomor akun Anda, lalu Anda membuat kata sandi baru.
      </p>
      <form
        ref={form.ref}
        noValidate
        className={styles['form']}
        onFocus={captcha.start}
        onSubmit={onSubmit}
      >
        <RefusalAlert error={error} fields={['phone']} />
        <TypedPhoneField {...form.field('phone')} />
        <CaptchaLine captcha={captcha} />
        <Button type="submit" size="lg" block busy={busy}>
          Kirim kode
        </Button>
      </form>
      <p className={styles['other']}>
        Ingat kata sandi Anda? <Link to="/auth/login">Masuk</Link>
      </p>
    </>
  );
}
