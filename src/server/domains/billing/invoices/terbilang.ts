const ones = 'nol satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas'.split(' ');
const scales = ['', 'ribu', 'juta', 'miliar', 'triliun', 'kuadriliun'];

/** Below a thousand: `seratus dua puluh satu`; empty for 0. */
function hundreds(amount: number): string[] {
  if (amount === 0) return [];
  if (amount < 12) return [ones[amount] ?? ''];
  if (amount < 20) return [ones[amount - 10] ?? '', 'belas'];
  if (amount < 100) return [ones[Math.floor(amount / 10)] ?? '', 'puluh', ...hundreds(amount % 10)];
  const head = amount < 200 ? ['seratus'] : [ones[Math.floor(amount / 100)] ?? '', 'ratus'];
  return [...head, ...hundreds(amount % 100)];
}

/** Exact for every safe integer: `1_001_000` → `satu juta seribu`; negative numbers begin with `minus`. */
export function terbilang(amount: number): string {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`not a whole number: ${amount}`);
  if (amount === 0) return 'nol';
  const words: string[] = [];
  let rest = Math.abs(amount);
  for (let scale = 0; rest > 0; scale++, rest = Math.floor(rest / 1000)) {
    const group = rest % 1000;
    if (group === 0) continue;
    const unit = scales[scale] ?? '';
    // 1.000 is `seribu`; within a larger group it is `satu ribu` (21.000).
    if (scale === 1 && group === 1) words.unshift('seribu');
    else words.unshift(...hundreds(group), ...(unit === '' ? [] : [unit]));
  }
  return `${amount < 0 ? 'minus ' : ''}${words.join(' ')}`;
}
