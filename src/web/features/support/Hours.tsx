import { Clock } from 'lucide-react';
import type { SupportHours } from '#contract/support.ts';
import { formatTime, WIB } from '#contract/base/time.ts';
import styles from '#web/features/support/support.module.css';
import { classes } from '#web/ui/classes.ts';

/** The support hours; outside of them, the next opening, and that messages wait until then. */
export function Hours({ hours }: { hours: SupportHours }) {
  const { open_now: open, opens_at: opensAt, lines, note } = hours;
  const times = lines.join(' · ');
  if (open && note === '' && times === '') return null;
  return (
    <p
      className={classes('flex gap-8 mb-12 small faint leading-ui', styles['hours'])}
      data-closed={!open || undefined}
      data-note={note !== '' || undefined}
    >
      <Clock size={16} className="mt-2" aria-hidden="true" />
      <span>
        {open
          ? `Jam layanan: ${times}.`
          : opensAt
            ? `Kami sedang tutup dan buka lagi ${dayAndTime(opensAt)}. Pesan Anda tersimpan dan dibalas setelah itu.`
            : 'Kami sedang tutup. Pesan Anda tersimpan dan dibalas setelah kami buka lagi.'}
        {!open && times && ` Jam layanan: ${times}.`}
        {note && ` ${note}`}
      </span>
    </p>
  );
}

const weekday = new Intl.DateTimeFormat('id-ID', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: WIB,
});

/** `Senin, 23 November pukul 08.00 WIB` */
const dayAndTime = (at: Date): string => `${weekday.format(at)} pukul ${formatTime(at, WIB)} WIB`;

/** The usual time to an answer, in words: `5 menit`. */
export function usualAnswer(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (minutes <= 1) return 'satu menit';
  // Rounded, so that it is not taken for a promise.
  if (minutes < 10) return `${minutes} menit`;
  if (minutes < 60) return `${Math.ceil(minutes / 5) * 5} menit`;
  const hours = Math.ceil(minutes / 60);
  return hours < 24 ? `${hours} jam` : `${Math.ceil(hours / 24)} hari`;
}
