import { Clock, ClockAlert, TriangleAlert } from 'lucide-react';
import {
  pressureOf,
  waitedFor,
  type Pressure,
} from '#web/features/operator/support/queue/waiting.ts';
import styles from '#web/features/operator/support/queue/Waiting.module.css';

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
