import { formatNumber, formatRupiah } from '#contract/base/money.ts';
import { type LiveSetting, SupportHours } from '#contract/operator/settings.ts';

/** The days of the week, as `SupportHours` has them. */
export const dayNames = ['Senin', 'Selasa', 'Rabu', 'Kamis', 'Jumat', 'Sabtu', 'Minggu'] as const;

/** Parses opening hours; undefined if invalid. */
export function hoursFrom(words: string): SupportHours | undefined {
  try {
    return SupportHours().parse(JSON.parse(words));
  } catch {
    return undefined;
  }
}

/** A value in words: `Rp 10.000`, `Nyala`, the hours of a week. */
export function settingWords(kind: LiveSetting['kind'], value: string): string {
  if (value === '') return '—';
  switch (kind) {
    case 'rupiah':
      return formatRupiah(Number(value));
    case 'whole':
      return formatNumber(Number(value));
    case 'decimal':
      return value.replace('.', ',');
    case 'switch':
      return value === 'on' ? 'Nyala' : 'Mati';
    case 'hours':
      return hoursInWords(value);
    default:
      return value;
  }
}

/** `Senin–Jumat 08.00–17.00; Sabtu–Minggu tutup`: equal days are grouped. */
function hoursInWords(value: string): string {
  const hours = hoursFrom(value);
  if (!hours) return value;
  const days = hours.days.map((day) => (day ? `${clock(day.open)}–${clock(day.close)}` : 'tutup'));
  const runs: { from: number; to: number; words: string }[] = [];
  for (const [place, words] of days.entries()) {
    const last = runs.at(-1);
    if (last?.words === words) last.to = place;
    else runs.push({ from: place, to: place, words });
  }
  const parts = runs.map(({ from, to, words }) => {
    const first = dayNames[from] ?? '';
    return `${from === to ? first : `${first}–${dayNames[to] ?? ''}`} ${words}`;
  });
  const off = hours.days_off.length;
  return [...parts, ...(off > 0 ? [`${off} hari libur`] : [])].join('; ');
}

const clock = (time: string): string => time.replace(':', '.');
