import { later } from '#web/browser/lazyComponent.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { use, Suspense, useState } from 'react';
import { accountActs } from '#web/api/lazyApi.ts';
import { configQuery } from '#web/api/configQuery.ts';
import { useAct } from '#web/api/query.ts';
import { useSend } from '#web/ui/form/useActForm.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { fieldErrors, type FieldErrors } from '#web/ui/form/fieldErrors.ts';
import styles from '#web/features/auth/auth.module.css';
import { CaptchaLine } from '#web/features/auth/captcha/CaptchaLine.tsx';
import { NewPasswordField } from '#web/features/auth/password/NewPasswordField.tsx';
import { pendingFrom, savePending } from '#web/features/auth/otp/pendingOtp.ts';
import { TypedPhoneField } from '#web/features/auth/login/TypedPhoneField.tsx';
import { TypedPhone } from '#web/features/auth/login/typedPhone.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { useCaptcha } from '#web/features/auth/captcha/useCaptcha.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

const TermsDialog = later(() => import('#web/features/auth/register/TermsDialog.tsx'));

const registerAct = async () => (await accountActs()).registerUser;

type Values = { name: string; phone: string; password: string; agree: string };
const empty: Values = { name: '', phone: '', password: '', agree: '' };

async function check(values: Values): Promise<FieldErrors> {
  const { captcha: _, ...wrong } = fieldErrors(await registerAct(), {
    ...values,
    captcha: 'later',
  });
  return { ...wrong, ...(values.phone === '' && { phone: 'Tulis nomor ponsel Anda.' }) };
}

/** Route `/auth/register`: name, number and password; then a code goes to the number. */
export function RegisterPage() {
  const captcha = useCaptcha('user_register');
  const form = useForm({ ...empty, phone: use(TypedPhone).get() }, check);
  const register = useAct(registerAct);
  const send = async (values: Values) => {
    const made = await captcha.send((answer) =>
      register.perform({ ...values, agree: '1', captcha: answer }),
    );
    savePending(pendingFrom(made, { purpose: 'register', phone: values.phone }));
    await navigate({ to: '/auth/verify-otp' });
  };
  const { onSubmit, busy, error } = useSend(form, send, { password_common: 'password' });

  const closed = useQuery(configQuery).data?.registration_closed;
  if (typeof closed === 'string') return <Closed text={closed} />;
  return (
    <>
      <PageTitle>Daftar</PageTitle>
      <p className="mt-8 muted">Satu akun untuk usaha Anda. Gratis, tanpa kartu kredit.</p>
      <form
        ref={form.ref}
        noValidate
        className={styles['form']}
        onFocus={captcha.start}
        onSubmit={onSubmit}
      >
        <RefusalAlert error={error} fields={['name', 'phone', 'password', 'agree']} />
        <RegisterFields form={form} />
        <CaptchaLine captcha={captcha} />
        <Button type="submit" size="lg" block busy={busy}>
          Daftar
        </Button>
      </form>
      <p className={styles['other']}>
        Sudah punya akun? <Link to="/auth/login">Masuk</Link>
      </p>
    </>
  );
}

const Closed = ({ text }: { text: string }) => (
  <>
    <PageTitle>Daftar</PageTitle>
    <Alert visible state="info" label={text} />
    <p className={styles['other']}>
      Sudah punya akun? <Link to="/auth/login">Masuk</Link>
    </p>
  </>
);

function RegisterFields({ form }: { form: ReturnType<typeof useForm<Values>> }) {
  return (
    <>
      <TextField
        label="Nama Anda atau nama usaha"
        required
        autoComplete="name"
        size="lg"
        {...form.field('name')}
      />
      <TypedPhoneField
        help="Kode verifikasi dikirim ke WhatsApp nomor ini."
        {...form.field('phone')}
      />
      <NewPasswordField
        label="Kata sandi"
        size="lg"
        about={form.values}
        {...form.field('password')}
      />
      <Agreement form={form} />
    </>
  );
}

function Agreement({ form }: { form: ReturnType<typeof useForm<Values>> }) {
  const [reading, setReading] = useState(false);
  return (
    <div>
      <Checkbox
        label="Saya menyetujui syarat layanan"
        required
        name="agree"
        checked={form.values.agree === '1'}
        error={form.errors.agree}
        onChange={(event) => form.set('agree', event.target.checked ? '1' : '')}
      />
      <button
        type="button"
        className="min-h-24 link strong underline ms-30"
        onClick={() => setReading(true)}
      >
        Baca syarat layanan
      </button>
      {reading && (
        <Suspense>
          <TermsDialog onClose={() => setReading(false)} />
        </Suspense>
      )}
    </div>
  );
}
