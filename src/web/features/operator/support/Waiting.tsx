import { Clock, ClockAlert, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import styles from '#web/features/operator/support/Queue.module.css';
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

const looks: Readonly<Record<Pressure, { Icon: typeof Clock; word: string }>> = {
  fine: { Icon: Clock, word: '' },
  soon: { Icon: ClockAlert, word: ', segera jawab' },
  late: { Icon: TriangleAlert, word: ', terlambat' },
};

type Props = {
  since: Date;
  minutes: number;
  now: Date;
};

export function Waiting({ since, minutes, now }: Props) {
  const pressure = pressureOf(minutes);
  const { Icon, word } = looks[pressure];
  return (
    <span className={styles['waiting']} data-pressure={pressure}>
      <Icon size={14} aria-hidden="true" />
      <span>
        <span className="sr-only">Menunggu </span>
        {waitedFor(since, now)}
        <span className="sr-only">{word}</span>
      </span>
    </span>
  );
}
