import { ExternalLink, MapPin } from 'lucide-react';
import type { Place } from '#contract/messages/content.ts';
import styles from '#web/ui/chat/cards/LocationCard.module.css';

/** A location: its name and address, else its coordinates; the map opens in a new tab. */
export function LocationCard({ place: { latitude, longitude, name, address } }: { place: Place }) {
  const at = `${latitude},${longitude}`;
  const title = name ?? address;
  return (
    <span className={styles['card']}>
      <span className={styles['icon']}>
        <MapPin size={20} aria-hidden="true" />
      </span>
      <span className={styles['words']}>
        <bdi className={styles['name']}>{title ?? 'Lokasi'}</bdi>
        {name !== null && address !== null && <bdi className={styles['address']}>{address}</bdi>}
        <span className={styles['at']}>{at.replace(',', ', ')}</span>
        <a
          href={`https://www.google.com/maps?q=${at}`}
          target="_blank"
          rel="noopener noreferrer"
          className={styles['way']}
        >
          Buka peta
          <ExternalLink size={14} aria-hidden="true" />
          <span className="sr-only"> {title} (tab baru)</span>
        </a>
      </span>
    </span>
  );
}
