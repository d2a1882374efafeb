import { useState } from 'react';
import styles from '#stories/gallery/fields.module.css';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { nextTime } from '#web/ui/time/time.ts';
import { TimeSelect } from '#web/ui/time/TimeSelect.tsx';

function Demo() {
  const [hour, setHour] = useState('');
  const [half, setHalf] = useState(nextTime('09:05', true) ?? '');
  const [odd, setOdd] = useState('09:15:00');
  return (
    <>
      <Show title="Full hours">
        <div className={styles['column']}>
          <TimeSelect label="Jam kirim" required value={hour} onChange={setHour} />
          <Emitted of="Hour">{hour || 'none'}</Emitted>
        </div>
      </Show>
      <Show title="Half hours, starting with the next one after 09.05">
        <div className={styles['column']}>
          <TimeSelect
            label="Waktu kirim"
            half
            help="Menurut WIB."
            value={half}
            onChange={setHalf}
          />
          <Emitted of="Half hour">{half}</Emitted>
        </div>
      </Show>
      <Show title="A kept value between the steps">
        <div className={styles['column']}>
          <TimeSelect label="Waktu laporan" value={odd} onChange={setOdd} />
          <Emitted of="Report">{odd}</Emitted>
        </div>
      </Show>
      <Show title="Between opening and closing">
        <div className={styles['column']}>
          <TimeSelect
            label="Waktu ambil"
            min="08:00:00"
            max="17:00:00"
            value="08:00:00"
            onChange={() => {}}
          />
        </div>
      </Show>
      <Show title="Error">
        <div className={styles['column']}>
          <TimeSelect label="Waktu mulai" error="Pilih waktu mulai." value="" onChange={() => {}} />
        </div>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'time-select',
  title: 'TimeSelect',
  about:
    'A time of day: 24 full hours, or 48 with the halves. The value is HH:MM:SS, shown without its seconds. nextTime (rules/time.ts) says what to start with.',
  props: [
    {
      name: 'value',
      type: 'string',
      about: "HH:MM:SS, or '' when none is chosen; one between the steps is kept.",
    },
    { name: 'onChange', type: '(time: string) => void', about: 'Called with HH:MM:SS.' },
    { name: 'half', type: 'boolean', default: 'false', about: 'Also offers the half hours.' },
    { name: 'min, max', type: 'string', about: 'The first and the last time that can be chosen.' },
    {
      name: 'placeholder',
      type: 'string',
      default: "'Pilih waktu'",
      about: 'Shown while none is chosen.',
    },
  ],
  Demo,
};
