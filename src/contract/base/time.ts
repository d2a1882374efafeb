/** Times are shown in WIB unless the user's profile names another Indonesian zone. */
export const WIB = 'Asia/Jakarta';

type Zone = { hours: number; name: string };
const wib: Zone = { hours: 7, name: 'WIB' };

/** Indonesia's zones: offset from UTC in hours, the same all year. */
const zones: Readonly<Record<string, Zone>> = {
  [WIB]: wib,
  'Asia/Makassar': { hours: 8, name: 'WITA' },
  'Asia/Jayapura': { hours: 9, name: 'WIT' },
};
/** The offset of a zone from UTC in hours, and its label. */
export const zoneOf = (zone: string): Zone => zones[zone] ?? wib;

const months = 'Jan Feb Mar Apr Mei Jun Jul Agu Sep Okt Nov Des'.split(' ');

/**
 * Year, month, day, hour and minute of an instant in a zone, as ISO 8601 writes them.
 *
 * Computed without Intl, whose first use takes 100 ms on a phone and would delay the first paint.
 */
function partsOf(at: Date | string, zone: string) {
  const local = new Date(new Date(at).getTime() + zoneOf(zone).hours * 3_600_000).toISOString();
  const [day = '', clock = ''] = local.split('T');
  return { day, clock: clock.slice(0, 5) };
}

/** `21 Nov 2026` */
export function formatDate(at: Date | string, zone = WIB): string {
  const [year, month, day] = partsOf(at, zone).day.split('-').map(Number);
  return `${day} ${months[(month ?? 1) - 1]} ${year}`;
}

/** `09.05` */
export const formatTime = (at: Date | string, zone = WIB): string =>
  partsOf(at, zone).clock.replace(':', '.');

/** `21 Nov 2026, 09.05` */
export const formatDateTime = (at: Date | string, zone = WIB): string =>
  `${formatDate(at, zone)}, ${formatTime(at, zone)}`;

/** `21 Nov 2026, 09:05`, in WIB. */
export function formatDateTimeEnglish(at: Date | string): string {
  const parts = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  const day = new Intl.DateTimeFormat('en-GB', { timeZone: WIB, ...parts }).format(new Date(at));
  return `${day}, ${partsOf(at, WIB).clock}`;
}

/** `21 Nov 2026, 09.05 WIB`: for future times, which must be unambiguous. */
export const formatDateTimeZone = (at: Date | string, zone = WIB): string =>
  `${formatDateTime(at, zone)} ${zoneOf(zone).name}`;

/** `5 menit yang lalu` within a day of `now`, the date and time beyond it. */
export function formatAgo(at: Date | string, now = new Date(), zone = WIB): string {
  const seconds = Math.round((new Date(at).getTime() - now.getTime()) / 1000);
  const distance = Math.abs(seconds);
  if (distance < 45) return 'baru saja';
  if (distance >= 24 * 3600) return formatDateTime(at, zone);
  const time =
    distance < 45 * 60
      ? `${Math.round(distance / 60)} menit`
      : `${Math.round(distance / 3600)} jam`;
  return seconds < 0 ? `${time} yang lalu` : `dalam ${time}`;
}

/** The civil date of an instant in a zone, `YYYY-MM-DD`. */
export const civilDate = (at: Date, zone = WIB): string => partsOf(at, zone).day;

/** The instant at which a civil day, `YYYY-MM-DD`, begins in WIB. */
export const wibMidnight = (day: string): Date => new Date(`${day}T00:00:00+07:00`);

/** The instant of a clock time (`HH:MM`) on a civil day (`YYYY-MM-DD`) in a zone. */
export const instantIn = (day: string, clock: string, zone = WIB): Date =>
  new Date(Date.parse(`${day}T${clock.slice(0, 5)}:00Z`) - zoneOf(zone).hours * 3_600_000);

/** The clock time of an instant in a zone, `HH:MM`. */
export const clockTime = (at: Date, zone = WIB): string => partsOf(at, zone).clock;

/** Formats a duration in its two largest units: `1,2 detik`, `3 menit 5 detik`, `2 hari 4 jam`. */
export function formatLapse(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${(Math.round(seconds * 10) / 10).toString().replace('.', ',')} detik`;
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 86_400), 'hari'],
    [Math.floor(whole / 3600) % 24, 'jam'],
    [Math.floor(whole / 60) % 60, 'menit'],
    [whole % 60, 'detik'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : []))
    .join(' ');
}
