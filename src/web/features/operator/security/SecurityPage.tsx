import { later } from '#web/browser/lazyComponent.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, Suspense, useRef, type ReactNode } from 'react';
import { useUser, userQuery } from '#web/api/user.ts';
import { Loaded, OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import styles from '#web/features/operator/operator.module.css';
import { classes } from '#web/ui/classes.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import type { OutputOf } from '#contract/base/act.ts';
import {
  addTotp,
  beginTotp,
  renewRecoveryCodes,
  addPasskey,
  beginPasskey,
  confirmSecondFactor,
  getSecondFactors,
  removeSecondFactor,
  requestSecondFactor,
  type SecondFactor,
  type SecondFactors,
} from '#contract/second-factor.ts';
import { isAbort, refusalCode, sentenceOf, fieldsOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { CopyField, CopyButton } from '#web/ui/copy/CopyField.tsx';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { OtpField } from '#web/ui/form/OtpField.tsx';
import { Panel, Stack, Row } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { toast } from '#web/ui/toast/toasts.ts';
import { Download, Printer } from 'lucide-react';
import { formatPhone } from '#contract/base/phone.ts';
import { saveFile } from '#web/ui/copy/saveFile.ts';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { isolated } from '#contract/base/names.ts';
import {
  makePasskey,
  passkeySentence,
  FactorAnswer,
} from '#web/features/secondfactor/secondfactor.ts';
import { TextField } from '#web/ui/text/TextField.tsx';
import type { SecondFactorChallenge } from '#contract/accounts.ts';
import { renewSessionToken } from '#web/browser/session.ts';
import { actQuery } from '#web/features/operator/operatorQuery.ts';

/** Route `/operator/keamanan`: the operator's second factors. */
export function SecurityPage() {
  const factors = useQuery(factorsQuery);
  const { withFactor, dialog } = useWithFactor();
  const [codes, setCodes] = useState<readonly string[]>();
  const settled = useSettled();
  const needed = useUser().needs_second_factor === true;
  const close = () => {
    setCodes(undefined);
    settled();
  };
  return (
    <OperatorFrame
      title="Keamanan"
      context="Verifikasi dua langkah menjaga akun Anda, juga bila kata sandinya diketahui orang lain."
    >
      <div className={classes('stack gap-32', styles['page'])}>
        <Alert
          state="warning"
          visible={needed}
          label="Pasang aplikasi autentikator atau passkey untuk mulai bekerja. Instalasi ini mewajibkannya bagi setiap operator."
        />
        <Loaded query={factors} lines={8}>
          {(data) => {
            const part = {
              factors: data,
              withFactor,
              onCodes: (fresh: readonly string[] | null) => (fresh ? setCodes(fresh) : settled()),
            };
            return (
              <>
                <AppPart {...part} />
                <PasskeysPart {...part} />
                {data.factors.length > 0 && <CodesPart {...part} />}
              </>
            );
          }}
        </Loaded>
      </div>
      {codes && <CodesDialog codes={codes} onClose={close} />}
      {dialog}
    </OperatorFrame>
  );
}

/** Unlocks the other pages after a required setup; not before the recovery codes were shown. */
function useSettled(): () => void {
  const client = useQueryClient();
  return () =>
    client.setQueryData(userQuery.queryKey, (user) => {
      if (!user) return user;
      const { needs_second_factor: _, ...rest } = user;
      return rest;
    });
}

/** The authenticator app: one per person; any number of devices may hold its secret. */
function AppPart({ factors, withFactor, onCodes }: PartProps) {
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
          className={classes('stack plain-list divided', styles['rows'])}
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

const QrImage = later(() => import('#web/ui/qr/QrImage.tsx'));

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

/** At this number or below, new ones should be made. */
const FEW = 3;

function CodesPart({ factors: { recovery }, withFactor, onCodes }: PartProps) {
  const renew = useAct(renewRecoveryCodes);
  const refresh = useRefresh();
  const ask = async () => {
    let codes: readonly string[] | null = null;
    const agreed = await confirm({
      title: 'Buat kode cadangan baru?',
      children: (
        <>
          <p>Semua kode cadangan yang lama tidak berlaku lagi.</p>
          <PasswordQuestion of={renewRecoveryCodes} />
        </>
      ),
      confirmText: 'Buat kode baru',
      tone: 'primary',
      onConfirm: async () => {
        codes = (await withFactor(() => renew.perform({}))).recovery_codes;
      },
    });
    if (!agreed) return;
    refresh();
    onCodes(codes);
  };
  const left = recovery?.left ?? 0;
  return (
    <Panel title="Kode cadangan">
      <Stack>
        <Alert
          state="warning"
          visible={left <= FEW}
          label={
            left === 0
              ? 'Kode cadangan Anda habis. Buat yang baru supaya tetap dapat masuk bila ponsel hilang.'
              : `Tinggal ${left} kode cadangan. Buat yang baru sebelum habis.`
          }
        />
        <p className="muted">
          Untuk masuk bila ponsel atau perangkat Anda tidak ada. Tersisa <strong>{left}</strong>{' '}
          dari 10 kode
          {recovery && (
            <>
              , dibuat <DateTime at={new Date(recovery.made_at)} />
            </>
          )}
          .
        </p>
        <div>
          <Button variant="outline" onClick={() => void ask()}>
            Buat kode baru
          </Button>
        </div>
      </Stack>
    </Panel>
  );
}

type DialogProps = { codes: readonly string[]; onClose: () => void };

// Prevents an Enter repeated after the code from closing the dialog: `<dialog>` focuses the element with the attribute.
const startHere = (codes: HTMLElement | null) => codes?.setAttribute('autofocus', '');

/**
 * Shown once, to copy, save or print. Leaving without confirming that they are saved asks first.
 */
function CodesDialog({ codes, onClose }: DialogProps) {
  const phone = formatPhone(useUser().phone);
  const save = () => {
    const text = `Kode cadangan Kabari untuk ${phone}\nSetiap kode berlaku satu kali.\n\n${codes.join('\n')}\n`;
    saveFile('kode-cadangan-kabari.txt', new Blob([text], { type: 'text/plain' }));
  };
  const ask = async () => {
    const leaves = await confirm({
      title: 'Kode sudah Anda simpan?',
      children: 'Kode ini tidak dapat ditunjukkan lagi.',
      cancelText: 'Lihat lagi',
      confirmText: 'Sudah, tutup',
      tone: 'primary',
    });
    if (leaves) onClose();
  };
  return (
    <Modal
      open
      onClose={() => void ask()}
      title="Simpan kode cadangan Anda"
      footer={<Button onClick={onClose}>Sudah saya simpan</Button>}
    >
      <div className={styles['form']}>
        <p>
          Dengan salah satu kode ini Anda dapat masuk bila ponsel atau perangkat Anda hilang. Setiap
          kode berlaku satu kali. <strong>Kode ini hanya ditunjukkan sekarang.</strong>
        </p>
        <div
          ref={startHere}
          tabIndex={-1}
          className={classes('p-16 border rounded sunken', styles['sheet'])}
        >
          <p className={styles['paper']}>Kode cadangan Kabari untuk {phone}</p>
          <ul
            className={classes('grid gap-10 gap-x-20 large plain-list code', styles['codes'])}
            aria-label="Kode cadangan"
          >
            {codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
        </div>
        <Row>
          <CopyButton value={codes.join('\n')} />
          <Button size="sm" variant="outline" icon={<Download size={16} />} onClick={save}>
            Unduh
          </Button>
          <Button
            size="sm"
            variant="outline"
            icon={<Printer size={16} />}
            onClick={() => window.print()}
          >
            Cetak
          </Button>
        </Row>
      </div>
    </Modal>
  );
}

function PasskeysPart({ factors, withFactor, onCodes }: PartProps) {
  const [adding, setAdding] = useState(false);
  const passkeys = factors.factors.filter(({ kind }) => kind === 'passkey');
  return (
    <Panel title="Passkey">
      <Stack>
        {passkeys.length > 0 ? (
          <ul
            className={classes('stack plain-list divided', styles['rows'])}
            aria-label="Passkey Anda"
          >
            {passkeys.map((passkey) => (
              <FactorRow
                key={passkey.id}
                factor={passkey}
                name={`passkey ${isolated(passkey.name)}`}
                kept={isLast(factors)}
                withFactor={withFactor}
              >
                {passkey.name}
              </FactorRow>
            ))}
          </ul>
        ) : (
          <p className="muted">
            Masuk dengan sidik jari, wajah, PIN perangkat, atau kunci keamanan. Passkey tidak dapat
            dipakai di situs tiruan.
          </p>
        )}
        <div>
          <Button
            variant={factors.factors.length > 0 ? 'outline' : 'subtle'}
            onClick={() => setAdding(true)}
          >
            Tambah passkey
          </Button>
        </div>
      </Stack>
      {adding && (
        <PasskeyDialog
          withFactor={withFactor}
          onClose={() => setAdding(false)}
          onAdded={(codes) => {
            setAdding(false);
            onCodes(codes);
          }}
        />
      )}
    </Panel>
  );
}

type PasskeysPartProps = {
  withFactor: WithFactor;
  onClose: () => void;
  onAdded: (codes: readonly string[] | null) => void;
};

function useNewPasskey({ withFactor, onAdded }: Pick<PasskeysPartProps, 'withFactor' | 'onAdded'>) {
  const begin = useAct(beginPasskey);
  const add = useAct(addPasskey);
  const refresh = useRefresh();
  const [name, setName] = useState('');
  const [wrong, setWrong] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const make = async () => {
    const { challenge, options } = await withFactor(() => begin.perform({}));
    const passkey = await makePasskey(options);
    return add.perform({ challenge, name, passkey });
  };
  const send = async () => {
    if (busy) return;
    setError(undefined);
    if (name.trim() === '') return setWrong('Tulis nama passkey ini.');
    setBusy(true);
    try {
      const { recovery_codes: codes } = await make();
      // The recovery codes serve as confirmation.
      if (!codes) toast('Passkey terpasang.', { tone: 'success' });
      refresh();
      onAdded(codes);
    } catch (no) {
      if (isAbort(no)) return;
      setWrong(fieldsOf(no)['name']);
      setError(no);
    } finally {
      setBusy(false);
    }
  };
  const type = (typed: string) => {
    setName(typed);
    setWrong(undefined);
  };
  return { name, wrong, error, busy, type, send };
}

function PasskeyDialog({ onClose, ...rest }: PasskeysPartProps) {
  const { name, wrong, error, busy, type, send } = useNewPasskey(rest);
  const sentence = passkeySentence(error);
  return (
    <FormModal
      onClose={onClose}
      title="Tambah passkey"
      size="sm"
      shape="sheet"
      submit="Lanjutkan"
      busy={busy}
      onSubmit={() => void send()}
    >
      {sentence === undefined ? (
        <RefusalAlert error={error} fields={['name']} />
      ) : (
        <Alert visible state="warning" label={sentence} />
      )}
      <TextField
        label="Nama passkey"
        help="Supaya Anda mengenalinya nanti, misalnya “Laptop kantor”."
        required
        name="name"
        maxLength={60}
        autoComplete="off"
        value={name}
        error={wrong}
        onChange={(event) => type(event.target.value)}
      />
      <PasswordQuestion of={beginPasskey} />
    </FormModal>
  );
}

const factorsQuery = actQuery(getSecondFactors, {});

function useRefresh(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: factorsQuery.queryKey });
}

type Question = { asked: SecondFactorChallenge; done: () => void; leave: () => void };

/** Runs work that needs a recent second factor, and asks for one if it is too long ago. */
type WithFactor = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * `withFactor` for changes of second factors, and its dialog. Cancelling the dialog rejects silently, with an
 * AbortError.
 */
function useWithFactor(): { withFactor: WithFactor; dialog: ReactNode } {
  const [question, setQuestion] = useState<Question>();
  const ask = useAct(requestSecondFactor);
  const confirm = useAct(confirmSecondFactor);
  const withFactor: WithFactor = async (work) => {
    try {
      return await work();
    } catch (no) {
      if (refusalCode(no) !== 'second_factor_again') throw no;
    }
    const challenge = await ask.perform({});
    await new Promise<void>((resolve, reject) => {
      const leave = () => reject(new DOMException('no second factor was given', 'AbortError'));
      setQuestion({ asked: challenge, done: resolve, leave });
    }).finally(() => setQuestion(undefined));
    return work();
  };
  const dialog = question && (
    <Modal open onClose={question.leave} title="Verifikasi dua langkah" size="sm" shape="sheet">
      <FactorAnswer
        asked={question.asked}
        answer={async (input) => {
          renewSessionToken((await confirm.perform(input)).token);
          question.done();
        }}
        onOver={question.leave}
      />
    </Modal>
  );
  return { withFactor, dialog };
}

/** Whether the only factor must stay. */
const isLast = ({ required, factors }: SecondFactors): boolean => required && factors.length === 1;

type PartProps = {
  factors: SecondFactors;
  withFactor: WithFactor;
  /** New recovery codes, to be shown once. */
  onCodes: (codes: readonly string[] | null) => void;
};

type RowProps = {
  factor: SecondFactor;
  /** Its name in a sentence: `passkey Laptop`. */
  name: string;
  /** The last one where one is required: it cannot be removed. */
  kept: boolean;
  withFactor: WithFactor;
  children: ReactNode;
};

function FactorRow({ factor, name, kept, withFactor, children }: RowProps) {
  const remove = useAct(removeSecondFactor);
  const refresh = useRefresh();
  const ask = async () => {
    const agreed = await confirm({
      title: `Hapus ${name}?`,
      children: (
        <>
          <p>Sejak itu tidak dapat dipakai lagi untuk masuk. Ponsel Anda diberi tahu.</p>
          <PasswordQuestion of={removeSecondFactor} />
        </>
      ),
      confirmText: 'Hapus',
      onConfirm: () => withFactor(() => remove.perform({ factor_id: factor.id })).finally(refresh),
    });
    if (!agreed) return;
    toast(`${name.slice(0, 1).toUpperCase()}${name.slice(1)} dihapus.`, { tone: 'success' });
  };
  return (
    <li>
      <span className={styles['what']}>
        <span>{children}</span>
        <span className="small faint regular">
          Dipasang <DateTime at={new Date(factor.created_at)} />
          {factor.used_at !== null && (
            <>
              {' '}
              · dipakai <DateTime at={new Date(factor.used_at)} />
            </>
          )}
        </span>
      </span>
      {kept ? (
        <span className="small faint regular">Wajib: satu cara harus tetap terpasang</span>
      ) : (
        <Button
          size="sm"
          variant="outline"
          tone="danger"
          aria-label={`Hapus ${name}`}
          onClick={() => void ask()}
        >
          Hapus
        </Button>
      )}
    </li>
  );
}
