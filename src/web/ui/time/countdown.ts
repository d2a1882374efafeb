/** Seconds as a countdown: `04.59`, or `23 jam 58 menit` from an hour on. */
export function showCountdown(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const minutes = Math.floor((whole % 3600) / 60);
  if (whole >= 3600)
    return `${Math.floor(whole / 3600)} jam${minutes > 0 ? ` ${minutes} menit` : ''}`;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(minutes)}.${two(whole % 60)}`;
}
