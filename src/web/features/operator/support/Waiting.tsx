import { Clock, ClockAlert, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import styles from '#web/features/operator/support/support.module.css';
import { classes } from '#web/ui/classes.ts';
import { pressureOf, waitedFor, type Pressure } from '#web/features/operator/support/times.ts';

const STEP_MS = 20_000;

/** The current time, updated often enough for times shown in minutes. */
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), STEP_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

const looks: Readonly<Record<Pressure, { Icon: typeof Clock; word: string; hue: string }>> = {
  fine: { Icon: Clock, word: '', hue: 'success' },
  soon: { Icon: ClockAlert, word: ', segera jawab', hue: 'warning' },
  late: { Icon: TriangleAlert, word: ', terlambat', hue: 'danger' },
};

type Props = {
  since: Date;
  minutes: number;
  now: Date;
};

export function Waiting({ since, minutes, now }: Props) {
  const { Icon, word, hue } = looks[pressureOf(minutes)];
  return (
    <span
      className={classes(
        'inline-flex align-center gap-4 flex-none rounded-full tiny strong num nowrap forced-border',
        styles['waiting'],
      )}
      data-hue={hue}
    >
      <Icon size={14} aria-hidden="true" />
      <span>
        <span className="sr-only">Menunggu </span>
        {waitedFor(since, now)}
        <span className="sr-only">{word}</span>
      </span>
    </span>
  );
}
