import { civilDate, formatDateTime, formatTime } from '#contract/base/time.ts';

/** After the phone's last message, the Cloud API accepts any content for this long. */
const WINDOW_MS = 24 * 3_600_000;

/** When a window closes, or closed; undefined if it was never open. */
export const windowEnd = (lastInAt: Date | null): Date | undefined =>
  lastInAt ? new Date(lastInAt.getTime() + WINDOW_MS) : undefined;

const MINUTE_MS = 60_000;

export function leftWords(end: Date, now: Date): string {
  const minutes = Math.max(1, Math.ceil((end.getTime() - now.getTime()) / MINUTE_MS));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 && `${hours} jam`, rest > 0 && `${rest} menit`].filter(Boolean).join(' ');
}

export function untilWords(end: Date, now: Date, zone: string): string {
  const day = civilDate(end, zone) === civilDate(now, zone) ? '' : 'besok ';
  return `Jendela 24 jam berakhir ${day}pukul ${formatTime(end, zone)}, ${leftWords(end, now)} lagi.`;
}

export const closedWords = (end: Date | undefined, zone: string): string =>
  end
    ? `Jendela 24 jam berakhir ${formatDateTime(end, zone)}. Sampai penerima menulis lagi, hanya templat yang dapat dikirim.`
    : 'Penerima belum pernah menulis ke nomor ini. Sampai ia menulis, hanya templat yang dapat dikirim.';
