export type Strength = { level: 0 | 1 | 2 | 3 | 4; word: string };

/** The server's minimum (`PASSWORD_MIN` of the contract, which is loaded later). */
const LENGTH_MIN = 8;
const words = ['', 'Mudah ditebak', 'Cukup', 'Kuat', 'Sangat kuat'] as const;

const weakParts =
  /(?:pass(?:word)?|kata ?sandi|sandi|rahasia|qwerty|asdf|zxcv|admin|kabari|whatsapp|indonesia|jakarta|sayang|bismillah|welcome|letmein|iloveyou|abc)/giu;

/**
 * Estimates the strength of a password while it is typed. The server decides: it also has the ten thousand commonest.
 *
 * @param about the person's name and phone, which a guesser would try first.
 */
export function passwordStrength(
  password: string,
  about: { name: string; phone: string },
): Strength {
  if (password === '') return { level: 0, word: '' };
  const missing = LENGTH_MIN - [...password].length;
  if (missing > 0) return { level: 0, word: `Kurang ${missing} karakter` };
  const bits = surprise(password, about);
  const level = bits < 28 ? 1 : bits < 44 ? 2 : bits < 64 ? 3 : 4;
  return { level, word: words[level] };
}

/** Bits left after removing easily guessed parts. */
function surprise(password: string, { name, phone }: { name: string; phone: string }): number {
  const known = [...name.split(/\s+/), phone, phone.replace(/^62/, '0'), phone.slice(-6)];
  let rest = password.normalize('NFKC').toLowerCase();
  for (const part of known) {
    if (part.length >= 4) rest = rest.replaceAll(part.toLowerCase(), '*');
  }
  rest = rest.replace(weakParts, '*').replace(/(?:19|20)\d\d/g, '*');
  const distinct = withoutRuns(rest);
  return distinct * Math.log2(alphabetOf(password));
}

/** Counts characters; repeats and sequences (`abc`, `321`) count a quarter. */
function withoutRuns(text: string): number {
  const codes = [...text].map((sign) => sign.codePointAt(0) ?? 0);
  const steps = codes.map((code, index) => code - (codes[index - 1] ?? Number.NaN));
  const seen = new Set<number>();
  return codes.reduce((sum, code, index) => {
    const step = steps[index] ?? Number.NaN;
    const inRun = step === 0 || (Math.abs(step) === 1 && step === steps[index - 1]);
    const worth = inRun ? 0.25 : seen.has(code) ? 0.7 : 1;
    seen.add(code);
    return sum + worth;
  }, 0);
}

function alphabetOf(text: string): number {
  const kinds: readonly [RegExp, number][] = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/\d/, 10],
    [/[^A-Za-z\d]/, 28],
  ];
  return kinds.reduce((sum, [kind, size]) => sum + (kind.test(text) ? size : 0), 0);
}
