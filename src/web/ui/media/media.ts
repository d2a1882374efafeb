/** A medium's progress, as a video reports it (docs/screens.md#media). */
export type Progress = {
  playedSeconds: number;
  /** A fraction, 0 to 1. */
  played: number;
  loadedSeconds: number;
  /** A fraction, 0 to 1. */
  loaded: number;
};

/** Seconds as `0:12` or `1:02:03`; unknown is `0:00`. */
export function clockText(seconds: number): string {
  const whole = Number.isFinite(seconds) && seconds > 0 ? Math.floor(seconds) : 0;
  const two = (part: number) => String(part).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(whole % 60)}`
    : `${minutes}:${two(whole % 60)}`;
}

/**
 * The target of a seek in seconds: between 0 and 1 a fraction, else seconds; clamped.
 *
 * @returns `undefined` for a fraction of an unknown length
 */
export function seekTarget(amount: number, duration: number): number | undefined {
  const known = Number.isFinite(duration) && duration > 0;
  if (amount > 0 && amount < 1) return known ? amount * duration : undefined;
  const from = Math.max(0, amount);
  return known ? Math.min(from, duration) : from;
}

type Sample = { currentTime: number; duration: number; bufferedEnd: number };

/** A medium's progress; `undefined` while its length is unknown. */
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

/** The next speed: 1, 1.5, 2, and 1 again. */
export const nextRate = (rate: number): number => (rate < 1.5 ? 1.5 : rate < 2 ? 2 : 1);

/** Reduces peaks to so many bars, 0 to 1, each the loudest of its part; none without peaks. */
export function waveform(peaks: readonly number[], bars: number): number[] {
  if (peaks.length === 0) return [];
  return Array.from({ length: bars }, (_, bar) => {
    const from = Math.floor((bar * peaks.length) / bars);
    const to = Math.max(from + 1, Math.floor(((bar + 1) * peaks.length) / bars));
    return Math.min(1, Math.max(0, ...peaks.slice(from, to)));
  });
}
