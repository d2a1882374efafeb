import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useState } from 'react';
import { peopleActs } from '#web/api/lazyApi.ts';
import { useAct } from '#web/api/query.ts';
import { CodeForm } from '#web/features/auth/otp/CodeForm.tsx';
import { saveGrant } from '#web/features/auth/forgot/forgotGrant.ts';
import { NoCode } from '#web/features/auth/forgot/NoCode.tsx';
import { readPending, savePending, type PendingOtp } from '#web/features/auth/otp/pendingOtp.ts';
import { SentTo } from '#web/features/auth/otp/SentTo.tsx';

/** Route `/auth/forgot-password/otp`: the code that allows a new password. */
export function ForgotOtpPage() {
  const [pending, setPending] = useState(readPending);
  if (pending?.purpose !== 'forgot') {
    return <NoCode title="Masukkan kode">Tidak ada kode yang sedang ditunggu di tab ini.</NoCode>;
  }
  const change = (next: PendingOtp) => {
    savePending(next);
    setPending(next);
  };
  return <Code pending={pending} onPending={change} />;
}

type Props = { pending: PendingOtp; onPending: (pending: PendingOtp) => void };

function Code({ pending, onPending }: Props) {
  const verify = useAct(async () => (await peopleActs()).verifyForgot);
  const { phone, sentTo } = pending;
  return (
    <CodeForm
      title="Masukkan kode"
      pending={pending}
      onPending={onPending}
      enter={async (input) => {
        const { grant, expires_in_seconds: seconds } = await verify.perform(input);
        saveGrant({ grant, phone, expiresAt: Date.now() + seconds * 1000 });
        // The code is used up, so this page leaves the browser's history.
        await navigate({ to: '/auth/forgot-password/change', replace: true });
      }}
      other={
        <>
          Nomornya salah? <Link to="/auth/forgot-password/phone">Ganti nomor</Link>
        </>
      }
    >
      Bila nomor ini terdaftar, kami mengirim enam angka lewat WhatsApp ke{' '}
      <SentTo sentTo={sentTo} />.
    </CodeForm>
  );
}
