/** How far a medium is: what a video reports to its owner (docs/screens.md#media). */
export type Progress = {
  playedSeconds: number;
  /** Of the whole, 0 to 1. */
  played: number;
  loadedSeconds: number;
  /** Of the whole, 0 to 1. */
  loaded: number;
};

/** Seconds as `0:12` or `1:02:03`; what is not known yet is `0:00`. */
export function clockText(seconds: number): string {
  const whole = Number.isFinite(seconds) && seconds > 0 ? Math.floor(seconds) : 0;
  const two = (part: number) => String(part).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(whole % 60)}`
    : `${minutes}:${two(whole % 60)}`;
}

/**
 * Where a seek goes, in seconds: between 0 and 1 a part of the whole, else seconds; never outside.
 *
 * @returns `undefined` for a part of a whole that nobody knows yet
 */
export function seekTarget(amount: number, duration: number): number | undefined {
  const known = Number.isFinite(duration) && duration > 0;
  if (amount > 0 && amount < 1) return known ? amount * duration : undefined;
  const from = Math.max(0, amount);
  return known ? Math.min(from, duration) : from;
}

type Sample = { currentTime: number; duration: number; bufferedEnd: number };

/** A medium's progress; `undefined` while its length is not known. */
export function progressOf({ currentTime, duration, bufferedEnd }: Sample): Progress | undefined {
  if (!Number.isFinite(duration) || duration <= 0) return undefined;
  const loadedSeconds = Math.min(bufferedEnd, duration);
  return {
    playedSeconds: currentTime,
    played: currentTime / duration,
    loadedSeconds,
    loaded: loadedSeconds / duration,
  };
}

/** The next speed after this one: 1, 1.5, 2, and 1 again. */
export const nextRate = (rate: number): number => (rate < 1.5 ? 1.5 : rate < 2 ? 2 : 1);

/** So many bars, 0 to 1, each the loudest of its part of the peaks; none when there are no peaks. */
export function waveform(peaks: readonly number[], bars: number): number[] {
  if (peaks.length === 0) return [];
  return Array.from({ length: bars }, (_, bar) => {
    const from = Math.floor((bar * peaks.length) / bars);
    const to = Math.max(from + 1, Math.floor(((bar + 1) * peaks.length) / bars));
    return Math.min(1, Math.max(0, ...peaks.slice(from, to)));
  });
}
