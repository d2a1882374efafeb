import { Monitor, Moon, Sun } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { zones } from '#contract/people.ts';
import { formatTime } from '#contract/base/time.ts';
import { useUser } from '#web/api/user.ts';
import styles from '#web/features/profile/profile.module.css';
import { classes } from '#web/ui/classes.ts';
import { Section } from '#web/features/profile/Section.tsx';
import { useChoices } from '#web/features/profile/preferences/useChoices.ts';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import { Select } from '#web/ui/select/Select.tsx';

const themes = [
  { value: 'system', label: 'Ikut perangkat', Icon: Monitor },
  { value: 'light', label: 'Terang', Icon: Sun },
  { value: 'dark', label: 'Gelap', Icon: Moon },
] as const;

const zoneOptions = Object.entries(zones).map(([value, label]) => ({ value, label }));

export function Appearance() {
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
