import { lazy, Suspense, useRef, useState } from 'react';
import type { OutputOf } from '#contract/base/act.ts';
import { addTotp, beginTotp } from '#contract/second-factor.ts';
import { isAbort, refusalCode, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import styles from '#web/features/operator/operator.module.css';
import { classes } from '#web/ui/classes.ts';
import {
  FactorRow,
  isLast,
  type PartProps,
  useRefresh,
} from '#web/features/operator/security/factors.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { OtpField } from '#web/ui/form/OtpField.tsx';
import { Panel, Stack } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

/** The authenticator app: one per person; any number of devices may hold its secret. */
export function AppPart({ factors, withFactor, onCodes }: PartProps) {
  const begin = useAct(beginTotp);
  const [begun, setBegun] = useState<OutputOf<typeof beginTotp>>();
  const [error, setError] = useState<unknown>();
  const app = factors.factors.find(({ kind }) => kind === 'totp');
  const start = async () => {
    setError(undefined);
    try {
      setBegun(await withFactor(() => begin.perform({})));
    } catch (no) {
      setError(no);
    }
  };
  return (
    <Panel title="Aplikasi autentikator">
      {app ? (
        <ul
          className={classes('stack plain-list', styles['rows'])}
          aria-label="Aplikasi autentikator Anda"
        >
          <FactorRow
            factor={app}
            name="aplikasi autentikator"
            kept={isLast(factors)}
            withFactor={withFactor}
          >
            Kode enam angka dari aplikasi di ponsel Anda
          </FactorRow>
        </ul>
      ) : (
        <Stack>
          <p className="muted">
            Aplikasi seperti Google Authenticator, Microsoft Authenticator, atau Aegis menunjukkan
            enam angka yang berganti setiap 30 detik, juga tanpa jaringan.
          </p>
          <RefusalAlert error={error} />
          <div>
            <Button busy={begin.busy} onClick={() => void start()}>
              Pasang aplikasi autentikator
            </Button>
          </div>
        </Stack>
      )}
      {begun && (
        <AppDialog
          begun={begun}
          onClose={() => setBegun(undefined)}
          onAdded={(codes) => {
            setBegun(undefined);
            onCodes(codes);
          }}
        />
      )}
    </Panel>
  );
}

type Props = {
  begun: OutputOf<typeof beginTotp>;
  onClose: () => void;
  onAdded: (codes: readonly string[] | null) => void;
};

const QR_SIZE = 208;

const QrImage = lazy(async () => ({
  default: (await import('#web/ui/qr/QrImage.tsx')).QrImage,
}));

const inFours = (secret: string): string => secret.replaceAll(/(.{4})(?=.)/g, '$1 ');

function useFirstCode({ begun, onAdded }: Pick<Props, 'begun' | 'onAdded'>) {
  const add = useAct(addTotp);
  const refresh = useRefresh();
  const field = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState('');
  const [wrong, setWrong] = useState<string>();
  const [error, setError] = useState<unknown>();
  const send = async (digits: string) => {
    if (add.busy) return;
    setError(undefined);
    if (digits.length !== 6) return setWrong('Tulis enam angka dari aplikasi autentikator.');
    try {
      const { recovery_codes: codes } = await add.perform({
        challenge: begun.challenge,
        code: digits,
      });
      // The recovery codes serve as confirmation.
      if (!codes) toast('Aplikasi autentikator terpasang.', { tone: 'success' });
      refresh();
      onAdded(codes);
    } catch (no) {
      if (isAbort(no)) return;
      setCode('');
      if (refusalCode(no) === 'second_factor_wrong') setWrong(sentenceOf(no));
      else setError(no);
      field.current?.focus();
    }
  };
  const type = (digits: string) => {
    setCode(digits);
    setWrong(undefined);
  };
  return { field, code, wrong, error, busy: add.busy, type, send };
}

/** The secret for the app, as a QR and as text; the first code proves that the app has it. */
function AppDialog({ begun, onClose, onAdded }: Props) {
  const { field, code, wrong, error, busy, type, send } = useFirstCode({ begun, onAdded });
  return (
    <FormModal
      onClose={onClose}
      title="Pasang aplikasi autentikator"
      submit="Pasang"
      busy={busy}
      onSubmit={() => void send(code)}
    >
      <p>1. Pindai kode ini dengan aplikasi autentikator Anda.</p>
      <div className="grid justify-items-center">
        <Suspense fallback={<Skeleton width={QR_SIZE} height={QR_SIZE} />}>
          <QrImage text={begun.uri} alt="QR untuk aplikasi autentikator" size={QR_SIZE} />
        </Suspense>
      </div>
      <CopyField
        label="Atau ketik kunci ini di aplikasi"
        value={begun.secret}
        shown={inFours(begun.secret)}
        look="code"
      />
      <p>2. Tulis kode yang ditunjukkan aplikasi.</p>
      <RefusalAlert error={error} />
      <OtpField
        ref={field}
        label="Kode dari aplikasi"
        required
        name="code"
        value={code}
        error={wrong}
        onChange={type}
        onComplete={(digits) => void send(digits)}
      />
      <PasswordQuestion of={addTotp} />
    </FormModal>
  );
}
