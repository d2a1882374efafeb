import { useState } from 'react';
import type { SupportHours } from '#contract/operator/settings.ts';
import styles from '#web/features/operator/settings/HoursField.module.css';
import { dayNames, hoursFrom } from '#web/features/operator/settings/settingWords.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';

type Props = {
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

const empty: SupportHours = { days: dayNames.map(() => null), days_off: [], note: '' };
const usual = { open: '08:00', close: '17:00' };

export function HoursField({ value, error, onChange }: Props) {
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
    <div className={styles['hours']}>
      <fieldset className={styles['days']}>
        <legend>Jam buka, WIB</legend>
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
  <div className={styles['day']}>
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
      <span className={styles['closed']}>Tutup</span>
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
