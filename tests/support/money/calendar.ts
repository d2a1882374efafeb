/** The n-th month from an anchor, by arithmetic of days only: no calendar library. */
export function modelDay(anchor: string, n: number): string {
  const [year = 0, month = 1, day = 1] = anchor.split('-').map(Number);
  const months = year * 12 + (month - 1) + n;
  const [y, m] = [Math.floor(months / 12), (months % 12) + 1];
  const isLeap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
  const length = m === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(m) ? 30 : 31;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${y}-${two(m)}-${two(Math.min(day, length))}`;
}
