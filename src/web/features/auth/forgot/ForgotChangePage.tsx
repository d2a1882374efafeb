import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SecondFactorRequired } from '#contract/accounts.ts';
import { later } from '#web/browser/lazyComponent.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { peopleActs } from '#web/api/lazyApi.ts';
import { refusalCode } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useSend } from '#web/ui/form/useActForm.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { enterSession } from '#web/api/user.ts';
import { fieldErrors, type FieldErrors } from '#web/ui/form/fieldErrors.ts';
import { UsernameField } from '#web/features/auth/password/UsernameField.tsx';
import styles from '#web/features/auth/auth.module.css';
import { readGrant, saveGrant, type ForgotGrant } from '#web/features/auth/forgot/forgotGrant.ts';
import { NewPasswordField } from '#web/features/auth/password/NewPasswordField.tsx';
import { NoCode } from '#web/features/auth/forgot/NoCode.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { PasswordField } from '#web/ui/form/PasswordField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

const TITLE = 'Kata sandi baru';
const changeAct = async () => (await peopleActs()).changeForgotten;

type Values = { password: string; repeat: string };

async function check({ password, repeat }: Values): Promise<FieldErrors> {
  const wrong = fieldErrors(await changeAct(), { grant: '', password });
  if (repeat === '') return { ...wrong, repeat: 'Tulis kata sandi baru sekali lagi.' };
  return repeat === password ? wrong : { ...wrong, repeat: 'Kedua kata sandi ini berbeda.' };
}

/** Route `/auth/forgot-password/change`: a new password, within ten minutes of the code. */
export function ForgotChangePage() {
  const [grant, setGrant] = useState(readGrant);
  const [late, setLate] = useState(false);
  const [asked, setAsked] = useState<SecondFactorRequired>();
  if (asked) return <SecondFactorStep asked={asked} onOver={() => void navigate(toLogin)} />;
  if (grant) {
    const lose = () => {
      saveGrant(undefined);
      setGrant(undefined);
      setLate(true);
    };
    return <ChangeForm grant={grant} onLate={lose} onAsked={setAsked} />;
  }
  return (
    <NoCode title={TITLE}>
      {late
        ? 'Waktu untuk mengganti kata sandi sudah habis.'
        : 'Kata sandi diganti setelah kode dari ponsel Anda dimasukkan.'}
    </NoCode>
  );
}

const SecondFactorStep = later(async () => {
  const { SecondFactorStep } = await import('#web/features/secondfactor/secondfactor.ts');
  return { SecondFactorStep };
});
const toLogin = { to: '/auth/login' } as const;

type FormProps = {
  grant: ForgotGrant;
  onLate: () => void;
  onAsked: (asked: SecondFactorRequired) => void;
};

function ChangeForm({ grant, onLate, onAsked }: FormProps) {
  const client = useQueryClient();
  const form = useForm<Values>({ password: '', repeat: '' }, check);
  const change = useAct(changeAct, {
    onError: (no) => refusalCode(no) === 'grant_gone' && onLate(),
  });
  const send = async ({ password }: Values) => {
    const answer = await change.perform({ grant: grant.grant, password });
    saveGrant(undefined);
    if ('token' in answer) enterSession(client, answer);
    else onAsked(answer);
    toast('Kata sandi sudah diganti. Sesi di browser lain diakhiri.', { tone: 'success' });
  };
  const { onSubmit, busy, error } = useSend(form, send, { password_common: 'password' });
  return (
    <>
      <PageTitle>{TITLE}</PageTitle>
      <p className="mt-8 muted">
        Setelah diganti, Anda langsung masuk di sini dan keluar dari semua browser lain. Waktu yang
        tersisa: <Countdown until={new Date(grant.expiresAt)} onEnd={onLate} />.
      </p>
      <form ref={form.ref} noValidate className={styles['form']} onSubmit={onSubmit}>
        <RefusalAlert error={error} fields={['password', 'repeat']} />
        <UsernameField phone={grant.phone} />
        <Passwords form={form} phone={grant.phone} />
        <Button type="submit" size="lg" block busy={busy}>
          Ganti kata sandi
        </Button>
      </form>
    </>
  );
}

type PasswordsProps = { form: ReturnType<typeof useForm<Values>>; phone: string };

function Passwords({ form, phone }: PasswordsProps) {
  return (
    <>
      <NewPasswordField
        label="Kata sandi baru"
        size="lg"
        about={{ name: '', phone }}
        {...form.field('password')}
      />
      <PasswordField
        label="Ulangi kata sandi baru"
        required
        autoComplete="new-password"
        size="lg"
        {...form.field('repeat')}
      />
    </>
  );
}
