import { later } from '#web/browser/lazyComponent.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { useEffect, Suspense, useState, useId } from 'react';
import { address } from '#web/browser/router/navigation.ts';
import { useStore } from '#web/browser/store.ts';
import { useUser } from '#web/api/user.ts';
import { NoticesPart } from '#web/features/profile/preferences/NotificationsPart.tsx';
import styles from '#web/features/profile/profile.module.css';
import { classes } from '#web/ui/classes.ts';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { scrollRow, useScrollRow } from '#web/ui/layout/useScrollRow.ts';
import {
  updateUser,
  ARCHIVES_A_DAY,
  exportData,
  type ExportState,
  changePassword,
  revokeSessions,
  type SessionRow,
  zones,
} from '#contract/people.ts';
import { sentenceOf, refusalCode } from '#web/api/errors.ts';
import { useTakeUser } from '#web/features/profile/preferences/preferences.ts';
import { useAct } from '#web/api/query.ts';
import { useActForm, useSend } from '#web/ui/form/useActForm.ts';
import { Section } from '#web/features/profile/Section.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { Button, AnchorButton, LinkButton } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, Monitor, Smartphone, Moon, Sun } from 'lucide-react';
import { formatDateTime, formatAgo, formatTime } from '#contract/base/time.ts';
import { exportQuery, sessionsQuery } from '#web/features/profile/queries.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { LimitedButton } from '#web/ui/button/LimitedButton.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { fileSizeText } from '#web/ui/upload/fileSize.ts';
import { Skeleton, ListSkeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { indonesianUploads } from '#web/ui/upload/uploadLabels.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { UsernameField, NewPasswordField } from '#web/features/auth/auth.ts';
import { renewSessionToken } from '#web/browser/session.ts';
import { PasswordField } from '#web/ui/form/PasswordField.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { KeepAccount } from '#web/features/profile/closing/KeepAccount.tsx';
import { formatPhone } from '#contract/base/phone.ts';
import { PHONE_CODES } from '#web/features/profile/phone/phoneCodes.ts';
import { loadSentCodes } from '#web/features/profile/otp/sentCodes.ts';
import { useChoices } from '#web/features/profile/preferences/useChoices.ts';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import { Select } from '#web/ui/select/Select.tsx';

/** Route `/profile`: the signed-in person; each section has an anchor. */
export function ProfilePage() {
  const operator = useUser().role === 'operator';
  const shown = [...parts, ...(operator ? operatorParts : customerParts)];
  const anchors = useScrollRow<HTMLUListElement>();
  const part = useStore(address).hash.slice(1);
  // The router scrolls as soon as the address is known, before the person is loaded.
  useEffect(() => {
    // In a block: newer browsers return a promise, which React would take for a cleanup function.
    document.getElementById(part)?.scrollIntoView();
  }, [part]);
  return (
    <>
      <PageHead title="Profil" context="Data diri, keamanan, dan pilihan Anda." />
      <div className={classes('stack gap-20 mt-20', styles['page'])}>
        <nav aria-label="Bagian profil" className={styles['nav']}>
          <ul ref={anchors} className={classes(scrollRow, 'flex gap-4', styles['anchors'])}>
            {shown.map(({ id, title }) => (
              <li key={id}>
                <Link to="/profile" hash={id} replace className="hover-ink">
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="stack max-w-672">
          {shown.map(({ id, Part }) => (
            <Part key={id} />
          ))}
        </div>
      </div>
    </>
  );
}

const PhoneDialog = later(() => import('#web/features/profile/phone/PhoneDialog.tsx'));

function PhonePart() {
  const { phone } = useUser();
  const [changing, setChanging] = useState(false);
  const pendingCode = loadSentCodes(PHONE_CODES, 2)?.[1];
  return (
    <Section
      id="ponsel"
      title="Nomor ponsel"
      about="Dipakai untuk masuk dan menerima kode verifikasi."
    >
      <div className="row wrap justify-between gap-10 gap-x-16">
        <div>
          <p className={classes('strong num', styles['strong'])}>{formatPhone(phone)}</p>
          {pendingCode && !changing && (
            <p className="small faint leading-ui">
              Penggantian ke {formatPhone(pendingCode.phone)} menunggu kode.
            </p>
          )}
        </div>
        <Button variant="outline" onClick={() => setChanging(true)}>
          {pendingCode ? 'Lanjutkan penggantian' : 'Ganti nomor'}
        </Button>
      </div>
      {changing && (
        <Suspense>
          <PhoneDialog onClose={() => setChanging(false)} />
        </Suspense>
      )}
    </Section>
  );
}

const CloseDialog = later(() => import('#web/features/profile/closing/CloseDialog.tsx'));

function ClosePart() {
  const { erased_at: erasedAt, timezone } = useUser();
  const [asking, setAsking] = useState(false);
  return (
    <Section
      id="hapus-akun"
      title="Hapus akun"
      about="Semua isi akun dihapus tujuh hari setelah diminta. Sampai saat itu Anda dapat membatalkannya."
    >
      {erasedAt === null ? (
        <div>
          <Button variant="outline" tone="danger" onClick={() => setAsking(true)}>
            Hapus akun saya
          </Button>
        </div>
      ) : (
        <div className="row wrap justify-between gap-10 gap-x-16">
          <p className={classes('strong num', styles['strong'])}>
            Akun ini dihapus pada {formatDateTime(erasedAt, timezone)}.
          </p>
          <KeepAccount />
        </div>
      )}
      {asking && (
        <Suspense>
          <CloseDialog onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </Section>
  );
}

function SessionsPart() {
  const sessions = useQuery(sessionsQuery);
  const others = sessions.data?.filter(({ current }) => !current).length ?? 0;
  return (
    <Section
      id="sesi"
      title="Sesi"
      about="Browser yang sedang masuk ke akun Anda. Sesi berakhir otomatis setelah 7 hari tidak dipakai."
    >
      <Rows sessions={sessions.data} error={sessions.error} retry={() => void sessions.refetch()} />
      {others > 1 && <EndOthers count={others} />}
    </Section>
  );
}

type RowsProps = {
  sessions: readonly SessionRow[] | undefined;
  error: Error | null;
  retry: () => void;
};

function Rows({ sessions, error, retry }: RowsProps) {
  if (sessions) {
    return (
      <ul className="stack gap-2" aria-label="Sesi Anda">
        {sessions.map((session) => (
          <Row key={session.id} session={session} />
        ))}
      </ul>
    );
  }
  if (error) return <WentWrong query={{ error, refetch: retry }} />;
  return <ListSkeleton rows={2} />;
}

const isPhone = (device: string): boolean => /Android|iPhone|iPad/.test(device);

function Row({ session }: { session: SessionRow }) {
  const { timezone } = useUser();
  const client = useQueryClient();
  const revoke = useAct(revokeSessions);
  const [failure, setFailure] = useState<string>();
  const { id, device, ip, current, created_at, last_used_at } = session;
  const Icon = isPhone(device) ? Smartphone : Monitor;
  const gone = () => {
    client.setQueryData(sessionsQuery.queryKey, (before) => before?.filter((one) => one.id !== id));
    void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  const end = async () => {
    setFailure(undefined);
    try {
      await revoke.perform({ session_id: id });
      toast(`Sesi ${device} diakhiri.`, { tone: 'success' });
      gone();
    } catch (no) {
      // It has expired, or was ended in another tab.
      if (refusalCode(no) === 'not_found') gone();
      else setFailure(sentenceOf(no));
    }
  };
  return (
    <li
      className={classes(
        'grid align-center gap-4 gap-x-12 py-12 columns-between',
        styles['session'],
      )}
      data-busy={revoke.busy || undefined}
    >
      <Icon size={22} className={'faint'} aria-hidden="true" />
      <div className={classes('grid gap-2 break-anywhere', styles['facts'])}>
        <p className={classes('strong num', styles['strong'])}>
          {device} {current && <StatusChip tone="success">Sesi ini</StatusChip>}
        </p>
        <p className="small faint leading-ui">
          {current ? 'Sedang dipakai' : `Dipakai ${formatAgo(last_used_at, undefined, timezone)}`} ·{' '}
          <span className="num">{ip}</span>
        </p>
        <p className="small faint leading-ui">Masuk {formatDateTime(created_at, timezone)}</p>
        {failure && (
          <p className="small text-danger" role="alert">
            {failure}
          </p>
        )}
      </div>
      {!current && (
        <Button
          size="sm"
          variant="outline"
          busy={revoke.busy}
          aria-label={`Akhiri sesi ${device} dari ${ip}`}
          onClick={() => void end()}
        >
          Akhiri
        </Button>
      )}
    </li>
  );
}

function EndOthers({ count }: { count: number }) {
  const client = useQueryClient();
  const revoke = useAct(revokeSessions);
  const ask = () =>
    confirm({
      title: 'Akhiri semua sesi lain?',
      children: <p>{count} browser lain keluar dari akun Anda. Sesi ini tetap masuk.</p>,
      confirmText: 'Akhiri semua',
      onConfirm: async () => {
        const { ended } = await revoke.perform({ others: '1' });
        client.setQueryData(sessionsQuery.queryKey, (before) =>
          before?.filter(({ current }) => current),
        );
        void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
        toast(`${ended} sesi lain diakhiri.`, { tone: 'success' });
      },
    });
  return (
    <div>
      <Button variant="outline" tone="danger" onClick={() => void ask()}>
        Akhiri semua sesi lain
      </Button>
    </div>
  );
}

const SecurityPart = () => (
  <Section
    id="verifikasi"
    title="Verifikasi dua langkah"
    about="Aplikasi autentikator, passkey, dan kode cadangan Anda ada di halaman Keamanan."
  >
    <div>
      <LinkButton to="/operator/keamanan" variant="outline">
        Buka halaman Keamanan
      </LinkButton>
    </div>
  </Section>
);

const empty = { current: '', password: '' };

function useChange() {
  const client = useQueryClient();
  const change = useAct(changePassword);
  const form = useForm(empty, (values) => ({
    ...fieldErrors(changePassword, values),
    ...(values.current === '' && { current: 'Tulis kata sandi Anda yang sekarang.' }),
  }));
  const [done, setDone] = useState<string>();
  const send = async (values: typeof empty) => {
    setDone(undefined);
    const { ended, token } = await change.perform(values);
    renewSessionToken(token);
    form.set('current', '');
    form.set('password', '');
    setDone(doneWords(ended));
    void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  const sending = useSend(form, send, refusedField);
  return { form, ...sending, done, close: () => setDone(undefined) };
}

function PasswordPart() {
  const user = useUser();
  const { form, onSubmit, busy, error, done, close } = useChange();
  return (
    <Section
      id="kata-sandi"
      title="Kata sandi"
      about="Setelah diganti, sesi Anda di browser lain langsung berakhir."
    >
      <form ref={form.ref} noValidate className="stack gap-16" onSubmit={onSubmit}>
        <Alert state="success" visible={done !== undefined} label={done ?? ''} onClose={close} />
        <RefusalAlert error={error} fields={['current', 'password']} />
        <UsernameField phone={user.phone} />
        <PasswordField
          label="Kata sandi sekarang"
          required
          autoComplete="current-password"
          {...form.field('current')}
        />
        <NewPasswordField label="Kata sandi baru" about={user} {...form.field('password')} />
        <div>
          <Button type="submit" variant="subtle" busy={busy}>
            Ganti kata sandi
          </Button>
        </div>
      </form>
    </Section>
  );
}

const refusedField = { password_wrong: 'current', password_common: 'password' } as const;

const doneWords = (ended: number): string =>
  ended === 0 ? 'Kata sandi diganti.' : `Kata sandi diganti, dan ${ended} sesi lain diakhiri.`;

function MyData() {
  const archive = useQuery(exportQuery);
  const client = useQueryClient();
  const start = useAct(exportData, {
    onSuccess: (made) => {
      client.setQueryData(exportQuery.queryKey, (known) => known && { ...known, export: made });
      void client.invalidateQueries(exportQuery);
    },
  });
  const state = archive.data?.export;
  const isFull = archive.data?.left_today === 0;
  const label = state ? 'Buat arsip baru' : 'Buat arsip data saya';
  const making = state?.status === 'waiting' || state?.status === 'working';
  return (
    <Section
      id="data"
      title="Data saya"
      about="Satu arsip ZIP berisi profil, pesan, percakapan, mutasi saldo, dan berkas Anda, dalam JSON dan CSV. Kunci API tidak ikut."
    >
      <RefusalAlert error={start.error} />
      {archive.isPending && <Skeleton height={40} />}
      {archive.isError && !archive.data && <WentWrong query={archive} />}
      {state && <Archive state={state} />}
      {!archive.isPending && !making && (
        <div>
          {isFull ? (
            <LimitedButton variant="outline" reason={fullSentence}>
              {label}
            </LimitedButton>
          ) : (
            <Button variant="outline" busy={start.busy} onClick={() => start.mutate({})}>
              {label}
            </Button>
          )}
        </div>
      )}
    </Section>
  );
}

const fullSentence = `Hari ini sudah ${ARCHIVES_A_DAY} arsip dibuat, batas untuk satu hari. Arsip baru dapat dibuat besok.`;

function Archive({ state }: { state: ExportState }) {
  const { timezone } = useUser();
  switch (state.status) {
    case 'waiting':
    case 'working':
      return <Making progress={state.progress} />;
    case 'ready':
      return <Ready state={state} timezone={timezone} />;
    case 'failed':
      return (
        <Alert visible state="danger" label="Arsip gagal dibuat. Data Anda utuh; coba buat lagi." />
      );
    case 'expired':
      return (
        <p className="small faint leading-ui">
          Arsip {formatDateTime(state.created_at, timezone)} sudah dihapus dari server.
        </p>
      );
  }
}

const Making = ({ progress }: { progress: number }) => (
  <div className="grid gap-8">
    <p role="status">Arsip sedang dibuat. Halaman ini boleh ditutup.</p>
    <div className="row gap-12">
      <progress className="meter" aria-label="Pembuatan arsip" max={100} value={progress} />
      <span className="num">{progress}%</span>
    </div>
  </div>
);

function Ready({ state, timezone }: { state: ExportState; timezone: string }) {
  const { url, size_bytes: size, created_at, expires_at } = state;
  return (
    <div className="row wrap justify-between gap-10 gap-x-16">
      <div>
        <p className={classes('strong num', styles['strong'])}>
          Arsip {formatDateTime(created_at, timezone)}
        </p>
        <p className="small faint leading-ui">
          {size !== null && `${fileSizeText(size, indonesianUploads.size)} · `}
          {expires_at !== null && `dapat diunduh sampai ${formatDateTime(expires_at, timezone)}`}
        </p>
      </div>
      {url !== null && (
        <AnchorButton href={url} download icon={<Download size={18} />}>
          Unduh arsip
        </AnchorButton>
      )}
    </div>
  );
}

const AvatarDialog = later(() => import('#web/features/profile/avatar/AvatarDialog.tsx'));

const AboutMe = () => (
  <Section id="profil" title="Data diri">
    <Picture />
    <Names />
  </Section>
);

function Picture() {
  const user = useUser();
  const takeUser = useTakeUser();
  const update = useAct(updateUser);
  const [choosing, setChoosing] = useState(false);
  const remove = () =>
    confirm({
      title: 'Hapus foto profil?',
      children: <p>Inisial nama Anda tampil sebagai gantinya.</p>,
      confirmText: 'Hapus',
      onConfirm: async () => takeUser(await update.perform({ avatar: '' })),
    });
  return (
    <div className="row gap-16">
      <Avatar name={user.name} size="xl" {...(user.avatar !== null && { src: user.avatar })} />
      <div className="row wrap gap-8 gap-x-12">
        <Button variant="outline" onClick={() => setChoosing(true)}>
          {user.avatar === null ? 'Unggah foto' : 'Ganti foto'}
        </Button>
        {user.avatar !== null && (
          <Button variant="link" tone="danger" onClick={() => void remove()}>
            Hapus foto
          </Button>
        )}
      </div>
      {choosing && (
        <Suspense>
          <AvatarDialog onClose={() => setChoosing(false)} />
        </Suspense>
      )}
    </div>
  );
}

function Names() {
  const user = useUser();
  const takeUser = useTakeUser();
  const { form, onSubmit, busy, error } = useActForm(updateUser, {
    initial: { name: user.name, email: user.email ?? '' },
    // An unchanged name is not validated again: it may be older than the rules for names.
    inputOf: ({ name, email }) => ({ ...(name !== user.name && { name }), email }),
    onDone: (saved) => {
      takeUser(saved);
      toast('Profil disimpan.', { tone: 'success' });
    },
  });
  return (
    <form ref={form.ref} noValidate className="stack gap-16" onSubmit={onSubmit}>
      <RefusalAlert error={error} fields={['name', 'email']} />
      <TextField
        label="Nama Anda atau nama usaha"
        required
        autoComplete="name"
        {...form.field('name')}
      />
      <TextField
        label="Alamat email"
        type="email"
        autoComplete="email"
        help="Boleh dikosongkan."
        {...form.field('email')}
      />
      <div>
        <Button type="submit" busy={busy}>
          Simpan profil
        </Button>
      </div>
    </form>
  );
}

const parts = [
  { id: 'profil', title: 'Data diri', Part: AboutMe },
  { id: 'ponsel', title: 'Nomor ponsel', Part: PhonePart },
  { id: 'kata-sandi', title: 'Kata sandi', Part: PasswordPart },
  { id: 'sesi', title: 'Sesi', Part: SessionsPart },
  { id: 'tampilan', title: 'Tampilan', Part: Appearance },
] as const;

const operatorParts = [
  { id: 'verifikasi', title: 'Verifikasi dua langkah', Part: SecurityPart },
] as const;

/** Not for operators: they get no messages, and theirs is the installation's account. */
const customerParts = [
  { id: 'pemberitahuan', title: 'Pemberitahuan', Part: NoticesPart },
  { id: 'data', title: 'Data saya', Part: MyData },
  { id: 'hapus-akun', title: 'Hapus akun', Part: ClosePart },
] as const;

const themes = [
  { value: 'system', label: 'Ikut perangkat', Icon: Monitor },
  { value: 'light', label: 'Terang', Icon: Sun },
  { value: 'dark', label: 'Gelap', Icon: Moon },
] as const;

const zoneOptions = Object.entries(zones).map(([value, label]) => ({ value, label }));

function Appearance() {
  const user = useUser();
  const { choose, failures } = useChoices();
  return (
    <Section id="tampilan" title="Tampilan" about="Berlaku di semua perangkat Anda.">
      <Themes failure={failures.theme} onChoose={(theme) => choose('theme', { theme })} />
      <Select
        label="Zona waktu"
        options={zoneOptions}
        help={<ZoneHelp zone={user.timezone} />}
        value={user.timezone}
        error={failures.timezone}
        onChange={({ target }) => choose('timezone', { timezone: target.value })}
      />
      <Checkbox
        label="Pintasan satu huruf"
        help="Misalnya g lalu m untuk membuka Pesan. Matikan bila Anda memakai suara atau sering menekan tombol tanpa sengaja."
        checked={user.keys_on}
        error={failures.keys_on}
        onChange={({ target }) => choose('keys_on', { keys_on: target.checked })}
      />
    </Section>
  );
}

type ThemesProps = {
  failure: string | undefined;
  onChoose: (theme: (typeof themes)[number]['value']) => void;
};

function Themes({ failure, onChoose }: ThemesProps) {
  const { theme } = useUser();
  const id = useId();
  return (
    <fieldset aria-describedby={failure ? `${id}-note` : undefined}>
      <legend className="mb-6 strong">Tema</legend>
      <div className={classes('grid gap-8', styles['choices'])}>
        {themes.map(({ value, label, Icon }) => (
          <label
            key={value}
            className={classes(
              'option row gap-10 min-h-44 px-12 border-control relative',
              styles['choice'],
            )}
          >
            <input
              className="cover"
              type="radio"
              name={id}
              value={value}
              checked={theme === value}
              onChange={() => onChoose(value)}
            />
            <Icon size={18} aria-hidden="true" />
            <span>{label}</span>
          </label>
        ))}
      </div>
      <p id={`${id}-note`} className="small text-danger" aria-live="polite" hidden={!failure}>
        {failure}
      </p>
    </fieldset>
  );
}

const LOOK_MS = 5_000;

function ZoneHelp({ zone }: { zone: string }) {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      Sekarang pukul <span className="num">{formatTime(now, zone)}</span>. Semua jam di layar
      mengikuti zona ini; filter tanggal dan batas harian tetap menurut WIB.
    </>
  );
}
