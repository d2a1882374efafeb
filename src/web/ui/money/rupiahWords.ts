const small = [
  'nol',
  'satu',
  'dua',
  'tiga',
  'empat',
  'lima',
  'enam',
  'tujuh',
  'delapan',
  'sembilan',
  'sepuluh',
  'sebelas',
] as const;
const scales = ['', 'ribu', 'juta', 'miliar', 'triliun', 'kuadriliun'] as const;

/** 1 to 999; nothing for 0. */
function belowThousand(value: number): readonly string[] {
  if (value === 0) return [];
  if (value < 12) return [small[value] ?? ''];
  if (value < 20) return [small[value - 10] ?? '', 'belas'];
  if (value < 100) {
    return [small[Math.floor(value / 10)] ?? '', 'puluh', ...belowThousand(value % 10)];
  }
  const hundreds = Math.floor(value / 100);
  const head = hundreds === 1 ? ['seratus'] : [small[hundreds] ?? '', 'ratus'];
  return [...head, ...belowThousand(value % 100)];
}

/**
 * An amount in words: `1250000` → `satu juta dua ratus lima puluh ribu rupiah`. Decimals are dropped.
 *
 * @throws RangeError if the whole part is not a safe integer.
 */
export function inWords(amount: number): string {
  const whole = Math.trunc(amount);
  if (!Number.isSafeInteger(whole)) throw new RangeError(`too large for words: ${amount}`);
  if (whole === 0) return 'nol rupiah';
  const words: string[] = [];
  for (let rest = Math.abs(whole), scale = 0; rest > 0; rest = Math.floor(rest / 1000), scale++) {
    const group = rest % 1000;
    if (group === 0) continue;
    // One thousand has a word of its own; one million has not.
    if (scale === 1 && group === 1) words.unshift('seribu');
    else words.unshift(...belowThousand(group), ...(scale === 0 ? [] : [scales[scale] ?? '']));
  }
  return [...(whole < 0 ? ['minus'] : []), ...words, 'rupiah'].join(' ');
}
