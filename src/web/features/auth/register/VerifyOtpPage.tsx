import { useQueryClient } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { useState } from 'react';
import type { SecondFactorRequired } from '#contract/accounts.ts';
import { later } from '#web/browser/lazyComponent.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { accountActs } from '#web/api/lazyApi.ts';
import { useAct } from '#web/api/query.ts';
import { enterSession } from '#web/api/user.ts';
import styles from '#web/features/auth/auth.module.css';
import { CodeForm } from '#web/features/auth/otp/CodeForm.tsx';
import { readPending, savePending, type PendingOtp } from '#web/features/auth/otp/pendingOtp.ts';
import { SentTo } from '#web/features/auth/otp/SentTo.tsx';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';

/** Route `/auth/verify-otp`: the code that opens an account, or confirms a new browser. */
export function VerifyOtpPage() {
  const client = useQueryClient();
  const [pending, setPending] = useState(readPending);
  const verify = useAct(async () => (await accountActs()).verifyOtp);
  const [asked, setAsked] = useState<SecondFactorRequired>();
  if (asked) return <SecondFactorStep asked={asked} onOver={() => void navigate(toLogin)} />;
  if (!pending || pending.purpose === 'forgot') return <NoPendingCode />;
  const words = pending.purpose === 'login' ? forNewBrowser(pending) : forNewNumber(pending);
  return (
    <CodeForm
      {...words}
      pending={pending}
      onPending={(next) => {
        savePending(next);
        setPending(next);
      }}
      enter={async (input) => {
        const answer = await verify.perform(input);
        if ('token' in answer) enterSession(client, answer);
        else setAsked(answer);
      }}
    />
  );
}

const SecondFactorStep = later(async () => {
  const { SecondFactorStep } = await import('#web/features/secondfactor/secondfactor.ts');
  return { SecondFactorStep };
});
const toLogin = { to: '/auth/login' } as const;

const forNewNumber = (pending: PendingOtp) => ({
  title: 'Verifikasi nomor',
  children: (
    <>
      Kami mengirim enam angka lewat WhatsApp ke <SentTo sentTo={pending.sentTo} />.
    </>
  ),
  other: (
    <>
      Nomornya salah? <Link to="/auth/register">Daftar ulang</Link>
    </>
  ),
});

const forNewBrowser = (pending: PendingOtp) => ({
  title: 'Verifikasi browser',
  children: (
    <>
      Browser ini belum dikenal, jadi kami mengirim enam angka lewat WhatsApp ke{' '}
      <SentTo sentTo={pending.sentTo} />.
    </>
  ),
  other: (
    <>
      Bukan nomor Anda? <Link to="/auth/login">Kembali ke halaman masuk</Link>
    </>
  ),
});

const NoPendingCode = () => (
  <>
    <PageTitle>Verifikasi nomor</PageTitle>
    <p className="mt-8 muted">
      Tidak ada kode yang sedang ditunggu di tab ini. Masuk atau daftar lebih dulu, lalu kode
      dikirim ke ponsel Anda.
    </p>
    <div className={styles['form']}>
      <LinkButton to="/auth/login" size="lg" block>
        Masuk
      </LinkButton>
    </div>
    <p className={styles['other']}>
      Belum punya akun? <Link to="/auth/register">Daftar</Link>
    </p>
  </>
);
