import { ExternalLink, MapPin } from 'lucide-react';
import type { Place } from '#contract/messages/content.ts';
import styles from '#web/ui/chat/cards/cards.module.css';
import { classes } from '#web/ui/classes.ts';

/** A location: its name and address, else its coordinates; the map opens in a new tab. */
export function LocationCard({ place: { latitude, longitude, name, address } }: { place: Place }) {
  const at = `${latitude},${longitude}`;
  const title = name ?? address;
  return (
    <span className={classes('grid gap-10 max-w-full columns-start', styles['card'])}>
      <span
        className={classes('place-center text-accent size-40 rounded', styles['locationCardIcon'])}
      >
        <MapPin size={20} />
      </span>
      <span className="grid justify-items-start break-anywhere">
        <bdi className="strong">{title ?? 'Lokasi'}</bdi>
        {name !== null && address !== null && <bdi className="small">{address}</bdi>}
        <span className="tiny faint num">{at.replace(',', ', ')}</span>
        <a
          href={`https://www.google.com/maps?q=${at}`}
          target="_blank"
          rel="noopener noreferrer"
          className="row small strong gap-4 min-h-28 touch"
        >
          Buka peta
          <ExternalLink size={14} />
          <span className="sr-only"> {title} (tab baru)</span>
        </a>
      </span>
    </span>
  );
}
