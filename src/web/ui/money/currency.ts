type Words = Readonly<Record<string, number>>;

/** The specified letters (docs/screens.md#fields) and their power of ten. */
const shortWords: Words = { k: 3, m: 6, b: 9 };

/** Indonesian suffixes; `m` stays a million, as specified, so a billion is `miliar` or `mlr`. */
const indonesianWords: Words = {
  ...shortWords,
  rb: 3,
  ribu: 3,
  jt: 6,
  juta: 6,
  mlr: 9,
  miliar: 9,
  milyar: 9,
};

/** Letters typed after a number: the number before them, and all letters so far. */
export type Tail = { readonly base: string; readonly letters: string };

/** The reading of a currency input: its digits, its remembered letters, and the ignored ones. */
export type Typed = {
  readonly text: string;
  readonly tail: Tail | undefined;
  readonly ignored: string;
};

type Reading = {
  readonly tail?: Tail | undefined;
  /** The text was just pasted: English notation is converted. */
  readonly pasted?: boolean;
  /** Also takes `rb`, `ribu`, `jt`, `juta`, `mlr`, `miliar`. */
  readonly indonesian?: boolean;
  /** The number of decimals; 0 for rupiah. */
  readonly decimals?: number;
};

/**
 * The number in a currency input (group `.`, decimal `,`): `1.250.000` → 1250000. Truncates to `decimals`, by default
 * to whole rupiah; `undefined` if there is no number or it is too large to be exact.
 */
export function readRupiah(shown: string | undefined, decimals = 0): number | undefined {
  const [whole = '', fraction = ''] = (shown ?? '').replaceAll('.', '').split(',');
  if (!/^-?\d*$/.test(whole) || !/\d/.test(whole + fraction.slice(0, decimals))) return undefined;
  const sign = whole.startsWith('-') ? '-' : '';
  const digits = whole.replace('-', '') || '0';
  if (!Number.isSafeInteger(Number(digits))) return undefined;
  return Number(`${sign}${digits}.${fraction.slice(0, decimals) || '0'}`) + 0;
}

/** The number of digits in a currency input. */
export const digitsIn = (text: string): number => text.replaceAll(/\D/g, '').length;

/** Shifts the comma by digits, without rounding: `1,25` a hundredfold is `125`. */
function shifted(base: string, power: number): string {
  const [whole = '', fraction = ''] = base.replaceAll('.', '').split(',');
  const moved = whole + fraction.slice(0, power).padEnd(power, '0');
  const rest = fraction.slice(power);
  const digits = moved.replace(/^(-?)0+(?=\d)/, '$1');
  return rest === '' ? digits : `${digits},${rest}`;
}

/** The power of ten of a suffix; of an unfinished or wrong one, that of its known part. */
function powerOf(letters: string, words: Words): number {
  for (let end = letters.length; end > 0; end--) {
    const power = words[letters.slice(0, end)];
    if (power !== undefined) return power;
  }
  return 0;
}

/** Converts English notation where it cannot be Indonesian: `1,500,000.50` → `1500000,50`. */
function readPasted(text: string, decimals: number): string {
  if (/^-?\d+(?:,\d{3})*\.\d{1,2}$/.test(text)) return text.replaceAll(',', '').replace('.', ',');
  const grouped = decimals === 0 ? /^-?\d{1,3}(?:,\d{3})+$/ : /^-?\d{1,3}(?:,\d{3}){2,}$/;
  return grouped.test(text) ? text.replaceAll(',', '') : text;
}

/**
 * The text for the library: digits, points and a comma, never a letter, because it shows `NaN` after `0k` and `1k2`. A
 * suffix multiplies (`1,5k` → `1500`); its letters are remembered, so that the `b` of a typed `50rb` is not taken for
 * billions. Unknown words, letters that are not last, and any after 0 are ignored.
 */
export function readTyped(raw: string, reading: Reading = {}): Typed {
  const { tail, pasted = false, indonesian = false, decimals = 0 } = reading;
  const words = indonesian ? indonesianWords : shortWords;
  const bare = raw
    .trim()
    .replace(/^rp\.?\s*/i, '')
    .replace(/,-+$/, '');
  const [, number = '', written = ''] = /^(-?[\d.,]+)\s*([a-z]+)\.?$/i.exec(bare) ?? [];
  if (written === '') {
    const digits = bare.replace(/[a-z]/gi, '').trim();
    const ignored = bare.replace(/[\d\s.,-]/g, '');
    return { text: pasted ? readPasted(digits, decimals) : digits, tail: undefined, ignored };
  }
  const letters = written.toLowerCase();
  const base = readPoint(pasted ? readPasted(number, decimals) : number);
  const follows = tail !== undefined && sameNumber(multiplied(tail, words), number);
  const now = follows ? longer(tail, { base, letters }, words) : begun({ base, letters }, words);
  return { text: multiplied(now, words), tail: now, ignored: ignoredOf(now, words) };
}

/** The ignored letters of a tail; none while they may become a suffix. */
function ignoredOf({ base, letters }: Tail, words: Words): string {
  const written = letters.replace('?', '');
  if (!/[1-9]/.test(base)) return written;
  if (letters === written && Object.keys(words).some((word) => word.startsWith(written))) return '';
  for (let end = letters.length; end > 0; end--) {
    if (words[letters.slice(0, end)] !== undefined) return letters.slice(end);
  }
  return written;
}

/** The letters of an unfinished suffix: `r` of `rb`. */
export const unfinished = (tail: Tail | undefined): string =>
  tail === undefined || indonesianWords[tail.letters] !== undefined
    ? ''
    : tail.letters.replace('?', '');

/**
 * A point followed by fewer than three digits cannot group, so it is a comma: `1.5jt` is one and a half million, not
 * fifteen.
 */
const readPoint = (number: string): string =>
  /^-?\d+\.\d{1,2}$/.test(number) ? number.replace('.', ',') : number;

/**
 * Restores a point after the first `point` digits as a comma if letters follow and it cannot group: the library drops
 * points, and `1.5jt` would be `15jt`.
 */
export function withPoint(raw: string, point: number | undefined): string {
  const [, number = '', letters = ''] = /^(\d[\d.]*)(\s*[a-z]+)$/i.exec(raw) ?? [];
  const digits = number.replaceAll('.', '');
  const behind = point === undefined ? 0 : digits.length - point;
  if (behind < 1 || behind > 2) return raw;
  return `${digits.slice(0, point)},${digits.slice(point)}${letters}`;
}

/** Letters pasted at once: a known suffix, or the first letter of one; else nothing. */
const begun = ({ base, letters }: Tail, words: Words): Tail =>
  letters.length === 1 || words[letters] !== undefined
    ? { base, letters }
    : { base, letters: `?${letters}` };

/** Adds a letter to a suffix; after a complete one (5, k, k) it may begin the next. */
function longer(tail: Tail, next: Tail, words: Words): Tail {
  const letters = tail.letters + next.letters;
  const goesOn = Object.keys(words).some((word) => word.startsWith(letters));
  const finished = words[tail.letters] !== undefined && words[next.letters] !== undefined;
  return !goesOn && finished ? next : { base: tail.base, letters };
}

const sameNumber = (one: string, other: string): boolean =>
  readRupiah(one, 9) === readRupiah(other, 9);

function multiplied({ base, letters }: Tail, words: Words): string {
  const power = powerOf(letters, words);
  return power === 0 || !/[1-9]/.test(base) ? base : shifted(base, power);
}

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
