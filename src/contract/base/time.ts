/** Every time is shown in WIB unless the person's profile names another Indonesian zone. */
export const WIB = 'Asia/Jakarta';

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string, parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(parts);
  let made = formats.get(key);
  if (!made) {
    made = new Intl.DateTimeFormat('id-ID', { timeZone: zone, ...parts });
    formats.set(key, made);
  }
  return made;
}

const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** `21 Nov 2026` */
export const formatDate = (at: Date | string, zone = WIB): string =>
  format(zone, day).format(new Date(at));

/** `09.05` */
export const formatTime = (at: Date | string, zone = WIB): string =>
  format(zone, clock).format(new Date(at));

/** `21 Nov 2026, 09.05` */
export const formatDateTime = (at: Date | string, zone = WIB): string =>
  `${formatDate(at, zone)}, ${formatTime(at, zone)}`;

const english = new Intl.DateTimeFormat('en-GB', { timeZone: WIB, ...day, ...clock });

/** `21 Nov 2026, 09:05`, in WIB. */
export const formatDateTimeEnglish = (at: Date | string): string => english.format(new Date(at));

/** `21 Nov 2026, 09.05 WIB`: for what is still to come, which no zone may mistake. */
export const formatDateTimeZone = (at: Date | string, zone = WIB): string =>
  format(zone, { ...day, ...clock, timeZoneName: 'short' }).format(new Date(at));

const relative = new Intl.RelativeTimeFormat('id-ID', { numeric: 'auto' });

/** `5 menit yang lalu` within a day of `now`, the date and time beyond it. */
export function formatAgo(at: Date | string, now = new Date(), zone = WIB): string {
  const seconds = Math.round((new Date(at).getTime() - now.getTime()) / 1000);
  const distance = Math.abs(seconds);
  if (distance < 45) return 'baru saja';
  if (distance < 45 * 60) return relative.format(Math.round(seconds / 60), 'minute');
  if (distance < 24 * 3600) return relative.format(Math.round(seconds / 3600), 'hour');
  return formatDateTime(at, zone);
}

/** The civil date of an instant in a zone, `YYYY-MM-DD`. */
export function civilDate(at: Date, zone = WIB): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  return parts.format(at);
}
