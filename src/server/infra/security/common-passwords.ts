import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Digits and signs around a common word that do not make it uncommon. */
const AROUND_MAX = 5;
/** What may stand around the product's, a person's or a number's own words. */
const AROUND_CONTEXT_MAX = 4;
/** Longer than this, two words in a row are a passphrase. */
const PAIR_MAX = 12;
const CONTEXT_WORD_MIN = 4;
const WALK_MIN = 3;
const WALKS_MAX = 3;

/** The product's own words (docs/threats.md#passwords). */
const houseWords = ['kabari', 'katasandi', 'whatsapp'];

const walks = [
  '01234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'azertyuiop',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol',
  'qazwsxedcrfvtgbyhnujmikolp',
  '147258369',
  '789456123',
  '!@#$%^&*()',
].flatMap((walk) => [walk, [...walk].toReversed().join('')]);

const lookalikes = new Map([
  ['4', 'a'],
  ['@', 'a'],
  ['3', 'e'],
  ['1', 'i'],
  ['!', 'i'],
  ['0', 'o'],
  ['5', 's'],
  ['$', 's'],
  ['7', 't'],
]);

let words: ReadonlySet<string> | undefined;

/** Read at the first question, so that starting does not wait for it. */
function commonWords(): ReadonlySet<string> {
  words ??= new Set(
    readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .flatMap((line) => line.split(/\s+/))
      .filter((word) => word !== ''),
  );
  return words;
}

/** Made by `tools/breached-passwords.ts`. */
export const BREACHED_FILE = fileURLToPath(new URL('breached-passwords.bin', import.meta.url));
/**
 * Of each password the file has the first bytes of its SHA-1, in order. Five bytes make 500 kB, and one in ten million
 * other passwords is refused by mistake; four would save 100 kB, and refuse one in 43,000. A prefix fits millions of
 * passwords, so the file does not disclose its passwords.
 */
export const BREACHED_PREFIX_BYTES = 5;
let breached: Buffer | undefined;

/** Whether a password is among the 100,000 seen most in breaches. The file is read at the first question. */
export function isBreached(plain: string): boolean {
  breached ??= readFileSync(BREACHED_FILE);
  const prefix = hash('sha1', plain, 'buffer').subarray(0, BREACHED_PREFIX_BYTES);
  let [from, until] = [0, breached.length / BREACHED_PREFIX_BYTES];
  while (from < until) {
    const middle = (from + until) >>> 1;
    const start = middle * BREACHED_PREFIX_BYTES;
    const order = breached.compare(
      prefix,
      0,
      BREACHED_PREFIX_BYTES,
      start,
      start + BREACHED_PREFIX_BYTES,
    );
    if (order === 0) return true;
    if (order < 0) from = middle + 1;
    else until = middle;
  }
  return false;
}

/** A password as it is compared: capitals, blanks and width do not make it another one. */
export const plainPassword = (password: string): string =>
  password.normalize('NFKC').toLowerCase().replace(/\s/gu, '');

/** Whom the password would protect: their phone in digits, and what they call themselves. */
export type About = { phone: string; name: string };

/**
 * True when a guesser would try this password early: one of the 100,000 commonest in breaches, a common word with little around it, a walk
 * over the keyboard, one thing repeated, a date, or the person's own name, number or our product's
 * name.
 */
export function isCommonPassword(password: string, about: About): boolean {
  const plain = plainPassword(password);
  return (
    isBreached(plain) ||
    isCommonWord(plain) ||
    isPair(plain) ||
    isWalked(plain) ||
    isDate(plain) ||
    isRepeated(plain) ||
    isAbout(plain, about)
  );
}

/** The word alone, with little around it, or with look-alikes inside: `p4ssw0rd123`. */
function isCommonWord(text: string): boolean {
  return coresOf(text).some((core) => commonWords().has(core));
}

/** Two common words in a row, when the whole is short: `babygirl1`, `bolamerah`. */
function isPair(text: string): boolean {
  if (text.length > PAIR_MAX) return false;
  const known = commonWords();
  return coresOf(text).some((core) =>
    [...core].some((_, cut) => known.has(core.slice(0, cut)) && known.has(core.slice(cut))),
  );
}

/**
 * What remains when up to five digits and signs around it are dropped, as written and with
 * look-alikes read as letters.
 */
function coresOf(text: string): string[] {
  const [before = ''] = /^[^a-z]*/.exec(text) ?? [];
  const [after = ''] = /[^a-z]*$/.exec(text) ?? [];
  const cores = [text, unmasked(text)];
  for (let front = 0; front <= before.length; front++) {
    for (let back = 0; back <= after.length && front + back <= AROUND_MAX; back++) {
      const core = text.slice(front, text.length - back);
      cores.push(core, unmasked(core));
    }
  }
  return cores;
}

const unmasked = (text: string): string =>
  [...text].map((letter) => lookalikes.get(letter) ?? letter).join('');

/** Made of at most three walks: `qwerty12345`, `asdfzxcv`, `1qaz2wsx`. */
function isWalked(text: string): boolean {
  let rest = text;
  for (let taken = 0; taken < WALKS_MAX && rest !== ''; taken++) {
    const length = longestWalk(rest);
    if (length < Math.min(WALK_MIN, rest.length)) return false;
    rest = rest.slice(length);
  }
  return rest === '';
}

function longestWalk(text: string): number {
  for (let length = text.length; length > 1; length--) {
    const start = text.slice(0, length);
    if (walks.some((walk) => walk.includes(start)) || new Set(start).size === 1) return length;
  }
  return 1;
}

/** `17081945`, `19450817`, `17-08-1945`. */
function isDate(text: string): boolean {
  const digits = text.replace(/[-/.]/g, '');
  return (
    /^(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])(19|20)\d\d$/.test(digits) ||
    /^(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.test(digits)
  );
}

/** One short or common piece over and over: `abcabcabc`, `sayangsayang`, `12341234`. */
function isRepeated(text: string): boolean {
  for (let size = 1; size <= text.length / 2; size++) {
    const piece = text.slice(0, size);
    if (text.length % size !== 0 || piece.repeat(text.length / size) !== text) continue;
    return size <= WALK_MIN + 1 || isCommonWord(piece) || isWalked(piece);
  }
  return false;
}

function isAbout(text: string, { phone, name }: About): boolean {
  const bare = text.replace(/[^\p{L}\p{N}]/gu, '');
  const called = name.normalize('NFKC').toLowerCase();
  const national = phone.replace(/^62/, '');
  const names = [...called.split(/[^\p{L}\p{N}]+/u), called.replace(/[^\p{L}\p{N}]/gu, '')];
  const known = [...houseWords, ...names, national, phone, national.slice(-8)];
  return known
    .filter((word) => word.length >= CONTEXT_WORD_MIN)
    .some((word) => bare.includes(word) && bare.length - word.length <= AROUND_CONTEXT_MAX);
}
