import type { ReactNode } from 'react';
import { formatTime } from '#contract/base/time.ts';
import styles from '#web/features/auth/auth.module.css';
import type { CodeFor, PendingOtp } from '#web/features/auth/otp/pendingOtp.ts';
import { Resend } from '#web/features/auth/otp/Resend.tsx';
import { SimulatorHint } from '#web/features/auth/otp/SimulatorHint.tsx';
import { useCode, usePassed, type Ended } from '#web/features/auth/otp/useCode.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { OtpField } from '#web/ui/form/OtpField.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';

const beginnings = {
  register: '/auth/register',
  login: '/auth/login',
  forgot: '/auth/forgot-password/phone',
} as const satisfies Record<CodeFor, string>;

type Props = {
  title: string;
  pending: PendingOtp;
  onPending: (pending: PendingOtp) => void;
  /** Submits the code; throws what the server refuses. The caller shows the next screen. */
  enter: (input: { challenge: string; code: string }) => Promise<void>;
  children: ReactNode;
  other: ReactNode;
};

export function CodeForm({ title, pending, onPending, enter, children, other }: Props) {
  const code = useCode(pending, enter);
  const over = usePassed(pending.expiresAt);
  if (code.ended) return <EndedPage title={title} how={code.ended} pending={pending} />;
  return (
    <>
      <PageTitle>{title}</PageTitle>
      <p className={styles['lead']}>
        {children} Kode berlaku sampai pukul {formatTime(new Date(pending.expiresAt))} WIB dan dapat
        dicoba lima kali.
      </p>
      <form
        noValidate
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          void code.send(code.digits);
        }}
      >
        <SimulatorHint phone={pending.phone} />
        <RefusalAlert error={code.error} />
        {over && !code.error && !code.wrong && (
          <Alert visible state="warning" label="Kode sudah tidak berlaku. Minta kode baru." />
        )}
        <OtpField
          ref={code.field}
          label="Kode verifikasi"
          required
          name="code"
          value={code.digits}
          error={code.wrong}
          onChange={code.type}
          onComplete={(digits) => void code.send(digits)}
        />
        <Button type="submit" size="lg" block busy={code.busy}>
          Verifikasi
        </Button>
        <Resend
          code={pending}
          onError={code.fail}
          onOver={() => code.end('over')}
          onWait={onPending}
          onSent={(next) => {
            onPending(next);
            code.restart();
          }}
        />
      </form>
      <p className={styles['other']}>{other}</p>
    </>
  );
}

const endings: Record<Ended, string> = {
  used: 'Kode ini sudah dipakai di tab lain. Lanjutkan di sana, atau mulai lagi di sini.',
  over: 'Permintaan kode ini sudah selesai atau terlalu lama. Mulai lagi untuk mendapat kode baru.',
};

type EndedProps = { title: string; how: Ended; pending: PendingOtp };

const EndedPage = ({ title, how, pending }: EndedProps) => (
  <>
    <PageTitle>{title}</PageTitle>
    <p role="status" className={styles['lead']}>
      {endings[how]}
    </p>
    <div className={styles['form']}>
      <LinkButton to={beginnings[pending.purpose]} size="lg" block>
        Mulai lagi
      </LinkButton>
    </div>
  </>
);
