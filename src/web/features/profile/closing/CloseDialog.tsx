import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { requestDeletion, deleteAccount } from '#contract/people.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { formatTime } from '#contract/base/time.ts';
import { useTakeUser } from '#web/features/profile/preferences/preferences.ts';
import { useAct } from '#web/api/query.ts';
import { SupportLink } from '#web/features/support/support.ts';
import { useSend } from '#web/ui/form/useActForm.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { givePassword } from '#web/api/givePassword.ts';
import { isPasswordOld } from '#web/api/reauth.ts';
import { useUser } from '#web/api/user.ts';
import { PasswordQuestion, UsernameField } from '#web/features/auth/auth.ts';
import { codeFrom, type SentCode } from '#web/api/sentCode.ts';
import { CodeBox } from '#web/features/profile/otp/CodeBox.tsx';
import styles from '#web/features/profile/profile.module.css';
import { classes } from '#web/ui/classes.ts';
import { saveSentCodes, loadSentCodes } from '#web/features/profile/otp/sentCodes.ts';
import { saldoQuery } from '#web/features/saldo/saldo.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { PasswordField } from '#web/ui/form/PasswordField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

const NAME = 'delete-code';
const TITLE = 'Hapus akun';

/** Deletes the account: explains the consequences, then asks for password and code. */
export function CloseDialog({ onClose }: { onClose: () => void }) {
  const [code, setCode] = useState(() => loadSentCodes(NAME, 1)?.[0]);
  const changeCode = (next: SentCode | undefined) => {
    saveSentCodes(NAME, next && [next]);
    setCode(next);
  };
  return code ? (
    <ProofStep
      code={code}
      onCode={changeCode}
      onClose={onClose}
      onDone={() => {
        changeCode(undefined);
        onClose();
      }}
    />
  ) : (
    <ReadStep onCode={changeCode} onClose={onClose} />
  );
}

type ReadProps = { onCode: (code: SentCode) => void; onClose: () => void };

function ReadStep({ onCode, onClose }: ReadProps) {
  const { phone } = useUser();
  const ask = useAct(requestDeletion, { onSuccess: (made) => onCode(codeFrom(made, phone)) });
  return (
    <FormModal
      onClose={() => ask.busy || onClose()}
      title={TITLE}
      submit="Kirim kode ke ponsel saya"
      tone="danger"
      busy={ask.busy}
      onSubmit={() => ask.busy || ask.mutate({})}
    >
      <RefusalAlert error={ask.error} />
      <SaldoLeft />
      <ul className={classes('grid gap-10 leading-ui', styles['consequences'])}>
        <li>Selama tujuh hari semuanya berjalan seperti biasa, dan Anda dapat membatalkannya.</li>
        <li>
          Setelah itu pesan, percakapan, token, kunci API, berkas, dan sesi dihapus dan tidak dapat
          dikembalikan. Sistem Anda yang memakai API ini berhenti mengirim.
        </li>
        <li>
          Nomor ponsel Anda terlepas dari akun ini dan boleh didaftarkan lagi, tanpa bonus selamat
          datang. Untuk itu kami hanya menyimpan sidik digital nomornya, yang tidak dapat dibaca
          kembali.
        </li>
        <li>
          Catatan mutasi saldo disimpan tanpa nama dan nomor Anda, karena aturan pajak
          mewajibkannya.
        </li>
      </ul>
      <PasswordQuestion of={requestDeletion} />
    </FormModal>
  );
}

function SaldoLeft() {
  const { data: saldo } = useQuery(saldoQuery);
  const left = saldo ? saldo.available + saldo.held : 0;
  return (
    <Alert
      state="warning"
      visible={left > 0}
      label={
        <>
          Masih ada saldo {formatRupiah(left)}. Setelah akun dihapus, saldo itu hangus. Pakai dulu,
          atau <SupportLink>hubungi layanan pelanggan</SupportLink>.
        </>
      }
    />
  );
}

type ProofProps = {
  code: SentCode;
  onCode: (code: SentCode) => void;
  onClose: () => void;
  onDone: () => void;
};

const refusedField = { password_wrong: 'password', otp_wrong: 'code' } as const;

function useRemoval({ code, onDone }: Pick<ProofProps, 'code' | 'onDone'>) {
  const takeUser = useTakeUser();
  const remove = useAct(deleteAccount);
  const form = useForm({ code: '', password: '' }, (typed) => ({
    ...(typed.code.length !== 6 && { code: 'Tulis enam angka dari pesan.' }),
    ...(typed.password === '' && { password: 'Tulis kata sandi Anda.' }),
  }));
  const send = async (typed: typeof form.values) => {
    // The dialog has the password already: an old proof needs no second question.
    if (isPasswordOld(deleteAccount)) await givePassword(typed.password);
    takeUser(await remove.perform({ ...typed, challenge: code.challenge }));
    toast('Permintaan diterima. Akun dihapus tujuh hari lagi.');
    onDone();
  };
  return { form, ...useSend(form, send, refusedField) };
}

function ProofStep({ code, onCode, onClose, onDone }: ProofProps) {
  const { phone, timezone } = useUser();
  const { form, onSubmit, busy, error, setError } = useRemoval({ code, onDone });
  return (
    <FormModal
      formRef={form.ref}
      onClose={() => busy || onClose()}
      title={TITLE}
      submit="Hapus akun saya"
      tone="danger"
      {...{ busy, onSubmit }}
    >
      <p className="muted pretty">
        Kode berlaku sampai pukul {formatTime(new Date(code.expiresAt), timezone)}.
      </p>
      <RefusalAlert error={error} fields={['code', 'password']} />
      <CodeBox
        first
        label="Kode verifikasi"
        code={code}
        {...form.field('code')}
        onSent={onCode}
        onError={setError}
      />
      <UsernameField phone={phone} />
      <PasswordField
        label="Kata sandi"
        required
        autoComplete="current-password"
        {...form.field('password')}
      />
    </FormModal>
  );
}
