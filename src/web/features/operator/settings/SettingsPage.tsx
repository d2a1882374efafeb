import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import {
  type LiveSetting,
  type SettingGroup,
  listSettings,
  settingGroupLabel,
  decideSetting,
  resetSetting,
  saveSetting,
  type SupportHours,
} from '#contract/operator/settings.ts';
import styles from '#web/features/operator/operator.module.css';
import { classes } from '#web/ui/classes.ts';
import { Loaded, OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { actQuery } from '#web/features/operator/operatorQuery.ts';
import { SellerGaps } from '#web/features/operator/settings/SellerGaps.tsx';
import { settingWords, dayNames, hoursFrom } from '#web/features/operator/settings/settingWords.ts';
import { Button, type ButtonLook } from '#web/ui/button/Button.tsx';
import { Panel, Row, Facts, Stack } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { OperatorForm } from '#web/features/operator/OperatorForm.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import type { Form } from '#web/ui/form/useForm.ts';
import { CurrencyField } from '#web/ui/money/CurrencyField.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { useGuardedClose } from '#web/ui/overlay/useGuardedClose.ts';
import { Select } from '#web/ui/select/Select.tsx';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';

/** Route `/operator/pengaturan`: settings that can change at runtime. */
export function SettingsPage() {
  const settings = useQuery(actQuery(listSettings, {}));
  return (
    <OperatorFrame
      title="Pengaturan"
      context="Berlaku di semua server dalam dua detik, dan menggantikan isi berkas .env sampai dikembalikan."
    >
      <Loaded query={settings} lines={12}>
        {(data) => <Groups settings={data.settings} />}
      </Loaded>
    </OperatorFrame>
  );
}

type Open = { name: string; how: 'change' | 'reset' | 'approve' | 'refuse' };

function Groups({ settings }: { settings: readonly LiveSetting[] }) {
  const [open, setOpen] = useState<Open>();
  const opened = settings.find(({ name }) => name === open?.name);
  const close = () => setOpen(undefined);
  return (
    <>
      {Object.entries(settingGroupLabel).map(([group, label]) => (
        <Panel key={group} title={label}>
          {group === 'seller' && <SellerGaps />}
          <ul className={classes('stack plain-list divided', styles['rows'])} aria-label={label}>
            {settings
              .filter((one) => one.group === (group as SettingGroup))
              .map((one) => (
                <Setting key={one.name} setting={one} onOpen={setOpen} />
              ))}
          </ul>
        </Panel>
      ))}
      {opened && open?.how === 'change' && <SettingDialog setting={opened} onClose={close} />}
      {opened && (open?.how === 'approve' || open?.how === 'refuse') && (
        <DecideDialog setting={opened} decision={open.how} onClose={close} />
      )}
      {opened && open?.how === 'reset' && <ResetDialog setting={opened} onClose={close} />}
    </>
  );
}

type SettingProps = { setting: LiveSetting; onOpen: (open: Open) => void };

function Setting({ setting, onOpen }: SettingProps) {
  const { name, label, help, kind, value, fallback, changed, waiting } = setting;
  const isSet = changed?.is_set === true;
  const button = (how: Open['how'], words: string, spoken: string, look?: ButtonLook) => (
    <Button size="sm" aria-label={spoken} onClick={() => onOpen({ name, how })} {...look}>
      {words}
    </Button>
  );
  return (
    <li>
      <span className={styles['what']}>
        <strong>{label}</strong>
        <span className="num">{settingWords(kind, value)}</span>
        <span className="small faint regular">{help}</span>
        <span className="small faint regular">
          {isSet ? `Bawaan: ${settingWords(kind, fallback)}. ` : ''}
          {changed && (
            <>
              {isSet ? 'Diubah' : 'Dikembalikan ke bawaan'} oleh {changed.by},{' '}
              <DateTime at={changed.at} />: {changed.reason}
            </>
          )}
        </span>
        <Waiting setting={setting} />
      </span>
      <Row end>
        {waiting && <StatusChip tone="warning">Menunggu</StatusChip>}
        {waiting && button('refuse', 'Batalkan', `Batalkan perubahan ${label}`, faint)}
        {waiting?.can_approve && button('approve', 'Setujui', `Setujui perubahan ${label}`)}
        {isSet && <StatusChip tone="info">Diubah</StatusChip>}
        {isSet && button('reset', 'Kembalikan ke bawaan', `Kembalikan ${label} ke bawaan`, faint)}
        {button('change', 'Ubah', `Ubah ${label}`, { variant: 'outline' })}
      </Row>
    </li>
  );
}

const faint: ButtonLook = { variant: 'subtle', tone: 'neutral' };

function Waiting({ setting: { kind, waiting } }: { setting: LiveSetting }) {
  if (!waiting) return null;
  return (
    <span className="small faint regular">
      Menunggu: {settingWords(kind, waiting.value)}, diusulkan {waiting.by},{' '}
      <DateTime at={waiting.at} />: {waiting.reason}. Berlaku otomatis{' '}
      <DateTime at={waiting.effective_at} />.
      {waiting.can_approve
        ? ''
        : ' Yang menyetujuinya harus admin lain, yang tidak diundang pengusulnya dan tidak baru dalam tujuh hari.'}
    </span>
  );
}

const REASON_HELP = 'Tercatat bersama nama Anda.';
const RAISING = 'Menaikkan nilainya meminta kata sandi Anda.';
const WAITS =
  'Kenaikan berlaku setelah disetujui admin lain, atau setelah 24 jam, dan diberitahukan kepada semua operator.';

type GuardedProps = {
  title: string;
  size?: 'md' | 'lg';
  onClose: () => void;
  children: (close: () => void, setDirty: (isDirty: boolean) => void) => ReactNode;
};

/** A dialog with a form; closing it with unsaved input asks first. */
function GuardedModal({ title, size = 'md', onClose, children }: GuardedProps) {
  const [isDirty, setDirty] = useState(false);
  const close = useGuardedClose(isDirty, onClose);
  return (
    <Modal open onClose={close} title={title} size={size}>
      <Stack>{children(close, setDirty)}</Stack>
    </Modal>
  );
}

type ActionsProps = { cancel?: string; onCancel: () => void; disabled?: boolean; children: string };

const Actions = ({ cancel = 'Batal', onCancel, disabled, children }: ActionsProps) => (
  <>
    <Button variant="outline" onClick={onCancel}>
      {cancel}
    </Button>
    <Button type="submit" disabled={disabled}>
      {children}
    </Button>
  </>
);

type Props = { setting: LiveSetting; onClose: () => void };

function SettingDialog({ setting, onClose }: Props) {
  const { name, label, kind, value: before, version, guarded, guards_money } = setting;
  const isRaised = (value: string) => guards_money && Number(value) > Number(before);
  return (
    <GuardedModal title={label} size={kind === 'hours' ? 'lg' : 'md'} onClose={onClose}>
      {(close, setDirty) => (
        <OperatorForm
          act={saveSetting}
          initial={{ value: before, reason: '' }}
          inputOf={({ value, reason }) => ({
            setting_id: name,
            version: String(version),
            value: value.trim(),
            reason,
          })}
          question={({ value }) => ({
            title: `Ubah ${label}?`,
            text: `Dari "${settingWords(kind, before)}" menjadi "${settingWords(kind, value)}". ${isRaised(value) ? WAITS : 'Berlaku di semua server dalam dua detik.'}`,
            button: 'Simpan',
          })}
          said={({ waiting }) => (waiting ? `${label} menunggu admin lain.` : `${label} disimpan.`)}
          onDone={onClose}
          onDirty={setDirty}
          reasonHelp={[REASON_HELP, guarded && RAISING, guards_money && WAITS]
            .filter(Boolean)
            .join(' ')}
          actions={({ values }) => (
            <Actions onCancel={close} disabled={values.value === before}>
              Simpan
            </Actions>
          )}
        >
          {(form) => <SettingField setting={setting} form={form} />}
        </OperatorForm>
      )}
    </GuardedModal>
  );
}

/** Resets to the environment's value. */
function ResetDialog({ setting, onClose }: Props) {
  const { name, label, kind, value, fallback, version } = setting;
  return (
    <GuardedModal title={`Kembalikan ${label}`} onClose={onClose}>
      {(close, setDirty) => (
        <>
          <Facts
            facts={[
              { term: 'Sekarang', is: settingWords(kind, value) },
              { term: 'Bawaan', is: settingWords(kind, fallback) },
            ]}
          />
          <OperatorForm
            act={resetSetting}
            initial={{ reason: '' }}
            inputOf={({ reason }) => ({ setting_id: name, version: String(version), reason })}
            question={() => ({
              title: `Kembalikan ${label} ke bawaan?`,
              text: `Nilainya kembali menjadi "${settingWords(kind, fallback)}".`,
              button: 'Kembalikan',
            })}
            said={({ waiting }) =>
              waiting ? `${label} menunggu admin lain.` : `${label} kembali ke bawaan.`
            }
            onDone={onClose}
            onDirty={setDirty}
            reasonHelp={REASON_HELP}
            actions={<Actions onCancel={close}>Kembalikan ke bawaan</Actions>}
          />
        </>
      )}
    </GuardedModal>
  );
}

type DecideProps = Props & { decision: 'approve' | 'refuse' };

function DecideDialog({ setting, decision, onClose }: DecideProps) {
  const { name, label, kind, value, version, waiting } = setting;
  const isApproval = decision === 'approve';
  const button = isApproval ? 'Setujui' : 'Batalkan perubahan';
  return (
    <GuardedModal title={`Perubahan ${label}`} onClose={onClose}>
      {(close, setDirty) => (
        <>
          {waiting && (
            <Facts
              facts={[
                { term: 'Sekarang', is: settingWords(kind, value) },
                { term: 'Diusulkan', is: settingWords(kind, waiting.value) },
                { term: 'Oleh', is: waiting.by },
                { term: 'Alasan', is: waiting.reason },
                { term: 'Berlaku otomatis pada', is: <DateTime at={waiting.effective_at} /> },
              ]}
            />
          )}
          <OperatorForm
            act={decideSetting}
            initial={{ reason: '' }}
            inputOf={({ reason }) => ({
              setting_id: name,
              version: String(version),
              decision,
              reason,
            })}
            question={() => ({
              title: `${isApproval ? 'Setujui' : 'Batalkan'} perubahan ${label}?`,
              text: isApproval
                ? `Nilainya menjadi "${settingWords(kind, waiting?.value ?? '')}" sekarang juga.`
                : `Nilainya tetap "${settingWords(kind, value)}".`,
              button,
            })}
            said={isApproval ? `${label} berlaku.` : `Perubahan ${label} dibatalkan.`}
            onDone={onClose}
            onDirty={setDirty}
            reasonHelp={REASON_HELP}
            actions={
              <Actions cancel="Kembali" onCancel={close}>
                {button}
              </Actions>
            }
          />
        </>
      )}
    </GuardedModal>
  );
}

type FieldProps = { setting: LiveSetting; form: Form<{ value: string; reason: string }> };

const switches = [
  { value: 'on', label: 'Nyala' },
  { value: 'off', label: 'Mati' },
];

function SettingField({ setting, form }: FieldProps) {
  const { kind, label, help, max, optional } = setting;
  const field = { label, help, required: !optional, ...form.field('value') };
  const { value, error } = field;
  const onChange = (next: string) => form.set('value', next);
  switch (kind) {
    case 'hours':
      return <HoursField value={value} error={error} onChange={onChange} />;
    case 'switch':
      return <Select {...field} options={switches} />;
    case 'rupiah':
      return (
        <CurrencyField
          {...field}
          value={value === '' ? undefined : Number(value)}
          onChange={(amount) => onChange(amount === undefined ? '' : String(amount))}
        />
      );
    case 'sentence':
      return <TextArea {...field} rows={3} maxLength={max ?? undefined} />;
    case 'whole':
    case 'decimal':
      return (
        <TextField
          {...field}
          inputMode={kind === 'whole' ? 'numeric' : 'decimal'}
          autoComplete="off"
          // Accepts the local decimal comma.
          onChange={(event) => onChange(event.target.value.replace(',', '.'))}
        />
      );
    default:
      return (
        <TextField
          {...field}
          type={kind === 'email' ? 'email' : 'text'}
          autoComplete="off"
          maxLength={max ?? undefined}
        />
      );
  }
}

type HoursProps = {
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

const empty: SupportHours = { days: dayNames.map(() => null), days_off: [], note: '' };
const usual = { open: '08:00', close: '17:00' };

function HoursField({ value, error, onChange }: HoursProps) {
  // Incomplete input stays as typed.
  const [hours, setHours] = useState(() => hoursFrom(value) ?? empty);
  const [off, setOff] = useState(() => hours.days_off.join('\n'));
  const set = (change: Partial<SupportHours>) => {
    const next = { ...hours, ...change };
    setHours(next);
    onChange(JSON.stringify(next));
  };
  const setDay = (place: number, day: SupportHours['days'][number]) =>
    set({ days: hours.days.map((one, at) => (at === place ? day : one)) });
  return (
    <div className="stack gap-16">
      <fieldset className={classes('stack gap-4', styles['days'])}>
        <legend className="mb-4 semibold">Jam buka, WIB</legend>
        {dayNames.map((name, place) => (
          <Day
            key={name}
            name={name}
            day={hours.days[place] ?? null}
            onChange={(day) => setDay(place, day)}
          />
        ))}
      </fieldset>
      <TextArea
        label="Hari libur"
        rows={3}
        help="Satu tanggal di tiap baris, misalnya 2026-12-25. Pada hari itu tutup seharian."
        value={off}
        onChange={(event) => {
          setOff(event.target.value);
          set({ days_off: event.target.value.split(/\s+/).filter(Boolean) });
        }}
      />
      <TextField
        label="Catatan bagi pelanggan"
        maxLength={200}
        help="Misalnya: tutup selama libur Lebaran."
        value={hours.note}
        onChange={(event) => set({ note: event.target.value })}
      />
      <Alert state="danger" visible={error !== undefined} label={error ?? ''} />
    </div>
  );
}

type DayProps = {
  name: string;
  day: SupportHours['days'][number];
  onChange: (day: SupportHours['days'][number]) => void;
};

const Day = ({ name, day, onChange }: DayProps) => (
  <div className={classes('grid align-center gap-8', styles['day'])}>
    <Checkbox
      label={name}
      checked={day !== null}
      onChange={(event) => onChange(event.target.checked ? usual : null)}
    />
    {day ? (
      <>
        <Time
          label={`${name}, buka`}
          value={day.open}
          onChange={(open) => onChange({ ...day, open })}
        />
        <span aria-hidden="true">–</span>
        <Time
          label={`${name}, tutup`}
          value={day.close}
          onChange={(close) => onChange({ ...day, close })}
        />
      </>
    ) : (
      <span className="faint">Tutup</span>
    )}
  </div>
);

type TimeProps = { label: string; value: string; onChange: (time: string) => void };

/** A 24-hour time field; the browser's own may show AM and PM. */
const Time = ({ label, value, onChange }: TimeProps) => (
  <TextField
    label={label}
    hideLabel
    inputMode="numeric"
    autoComplete="off"
    placeholder="08.00"
    value={value.replace(':', '.')}
    onChange={(event) => onChange(event.target.value.trim().replace('.', ':'))}
  />
);
