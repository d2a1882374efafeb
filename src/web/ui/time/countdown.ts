/** Seconds as a countdown: `04.59`, or `1.04.59` from an hour on. */
export function showCountdown(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  const rest = `${two(Math.floor((whole % 3600) / 60))}.${two(whole % 60)}`;
  return whole >= 3600 ? `${Math.floor(whole / 3600)}.${rest}` : rest;
}
