import { useQueryClient } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { changePhone, confirmPhone } from '#contract/people.ts';
import type { Refusal } from '#contract/base/refusals.ts';
import { formatTime } from '#contract/base/time.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { refusalCode } from '#web/api/errors.ts';
import { useTakeUser } from '#web/features/profile/preferences/preferences.ts';
import { useAct } from '#web/api/query.ts';
import { useSend } from '#web/ui/form/useActForm.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { useUser } from '#web/api/user.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { codeFrom, type SentCode } from '#web/api/sentCode.ts';
import { CodeBox } from '#web/features/profile/otp/CodeBox.tsx';
import { PHONE_CODES } from '#web/features/profile/phone/phoneCodes.ts';
import { sessionsQuery } from '#web/features/profile/queries.ts';
import { saveSentCodes, loadSentCodes } from '#web/features/profile/otp/sentCodes.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { PhoneField } from '#web/ui/phone/PhoneField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Codes = readonly [old: SentCode, fresh: SentCode];

const loadCodePair = (): Codes | undefined => {
  const [old, fresh] = loadSentCodes(PHONE_CODES, 2) ?? [];
  return old && fresh && [old, fresh];
};

/** Two steps: the number, then a code from each phone. Closing the dialog keeps the state. */
export function PhoneDialog({ onClose }: { onClose: () => void }) {
  const [codes, setCodes] = useState(loadCodePair);
  const changeCodes = (next: Codes | undefined) => {
    saveSentCodes(PHONE_CODES, next);
    setCodes(next);
  };
  return codes ? (
    <CodesStep
      codes={codes}
      onCodes={changeCodes}
      onBack={() => changeCodes(undefined)}
      onClose={onClose}
      onDone={() => {
        changeCodes(undefined);
        onClose();
      }}
    />
  ) : (
    <NumberStep onCodes={changeCodes} onClose={onClose} />
  );
}

type StepProps = {
  form: string;
  step: 1 | 2;
  submit: string;
  busy: boolean;
  back?: ReactNode;
  onClose: () => void;
  children: ReactNode;
};

const Step = ({ form, step, submit, busy, back, onClose, children }: StepProps) => (
  <Modal
    open
    onClose={() => busy || onClose()}
    title="Ganti nomor ponsel"
    footer={
      <>
        {back ?? (
          <Button variant="outline" onClick={() => busy || onClose()}>
            Batal
          </Button>
        )}
        <Button type="submit" form={form} busy={busy}>
          {submit}
        </Button>
      </>
    }
  >
    <p className="mb-12 small faint">Langkah {step} dari 2</p>
    {children}
  </Modal>
);

type NumberProps = { onCodes: (codes: Codes) => void; onClose: () => void };

function NumberStep({ onCodes, onClose }: NumberProps) {
  const id = useId();
  const user = useUser();
  const change = useAct(changePhone);
  const form = useForm({ phone: '' }, ({ phone }) =>
    phone === '' ? { phone: 'Tulis nomor yang baru.' } : fieldErrors(changePhone, { phone }),
  );
  const send = async ({ phone }: { phone: string }) => {
    const sent = await change.perform({ phone });
    onCodes([codeFrom(sent.old, user.phone), codeFrom(sent.new, phone)]);
  };
  const { onSubmit, busy, error } = useSend(form, send, { phone_same: 'phone' });
  return (
    <Step form={id} step={1} submit="Kirim kode" busy={busy} onClose={onClose}>
      <form id={id} ref={form.ref} noValidate className="stack gap-16" onSubmit={onSubmit}>
        <RefusalAlert error={error} fields={['phone']} />
        <PhoneField
          label="Nomor ponsel baru"
          required
          autoComplete="tel"
          help="Kami mengirim kode ke nomor lama dan ke nomor baru. Siapkan kedua ponsel."
          {...form.field('phone')}
        />
        <PasswordQuestion of={changePhone} />
      </form>
    </Step>
  );
}

type CodesProps = {
  codes: Codes;
  onCodes: (codes: Codes) => void;
  onBack: () => void;
  onClose: () => void;
  onDone: () => void;
};

const MISSING = 'Tulis enam angka dari pesan.';

/** It does not reveal which code was wrong, so that they cannot be guessed one at a time. */
function wrongCodeIn(error: unknown): string | undefined {
  if (refusalCode(error) !== 'otp_wrong') return undefined;
  const { left } = (error as Refusal<'otp_wrong'>).facts;
  return `Salah satu kode tidak cocok. ${left > 0 ? `Sisa ${left} percobaan.` : 'Minta kode baru.'}`;
}

function useCodes({ codes: [old, fresh], onDone }: Pick<CodesProps, 'codes' | 'onDone'>) {
  const client = useQueryClient();
  const takeUser = useTakeUser();
  const confirm = useAct(confirmPhone);
  const form = useForm({ old: '', fresh: '' }, (typed) => ({
    ...(typed.old.length !== 6 && { old: MISSING }),
    ...(typed.fresh.length !== 6 && { fresh: MISSING }),
  }));
  const send = async (typed: typeof form.values) => {
    const user = await confirm.perform({
      old_challenge: old.challenge,
      old_code: typed.old,
      new_challenge: fresh.challenge,
      new_code: typed.fresh,
    });
    takeUser(user);
    void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    toast('Nomor ponsel diganti. Sesi di browser lain diakhiri.', { tone: 'success' });
    onDone();
  };
  return { form, ...useSend(form, send) };
}

function CodesStep({ codes, onCodes, onBack, onClose, onDone }: CodesProps) {
  const id = useId();
  const { timezone } = useUser();
  const { form, onSubmit, busy, error, setError } = useCodes({ codes, onDone });
  const [old, fresh] = codes;
  const wrongCode = wrongCodeIn(error);
  const back = (
    <Button variant="outline" onClick={() => busy || onBack()}>
      Nomor lain
    </Button>
  );
  return (
    <Step form={id} step={2} submit="Ganti nomor" {...{ busy, back, onClose }}>
      <form id={id} ref={form.ref} noValidate className="stack gap-16" onSubmit={onSubmit}>
        <p className="muted pretty">
          Tulis kode dari kedua ponsel sebelum pukul{' '}
          {formatTime(new Date(Math.min(old.expiresAt, fresh.expiresAt)), timezone)}. Jendela ini
          boleh ditutup dulu.
        </p>
        <Alert state="danger" visible={wrongCode !== undefined} label={wrongCode ?? ''} />
        <RefusalAlert error={wrongCode === undefined ? error : undefined} />
        <CodeBox
          first
          label="Kode dari nomor lama"
          code={old}
          {...form.field('old')}
          onSent={(sent) => onCodes([sent, fresh])}
          onError={setError}
        />
        <CodeBox
          label="Kode dari nomor baru"
          code={fresh}
          {...form.field('fresh')}
          onSent={(sent) => onCodes([old, sent])}
          onError={setError}
        />
        <PasswordQuestion of={confirmPhone} />
      </form>
    </Step>
  );
}
