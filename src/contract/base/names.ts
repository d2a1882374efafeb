import * as z from 'zod/mini';

/**
 * Characters that a name cannot have: controls, marks that turn the reading direction, invisible fillers, tag letters
 * and other variation selectors of U+E0000, private use. The joiners U+200C and U+200D stay: emoji and several scripts
 * are written with them.
 */
const unusable =
  '\\p{Cc}\\p{Cs}\\p{Co}\\p{Zl}\\p{Zp}\\u00AD\\u034F\\u0600-\\u0605\\u061C\\u06DD\\u070F\\u115F\\u1160\\u17B4\\u17B5' +
  '\\u180B-\\u180F\\u200B\\u200E\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u2800\\u3164\\uFEFF\\uFFA0\\uFFF0-\\uFFFC' +
  '\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E0FFF}';
const allUnusable = new RegExp(`[${unusable}]`, 'gu');
const onlyUsable = new RegExp(`^[^${unusable}<>]*$`, 'u');
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Whether a text has a letter, digit or sign that people see. */
const isVisible = (text: string): boolean => visible.test(text.replace(allUnusable, ''));

const UNUSABLE = 'Nama berisi karakter yang tidak dapat dipakai.';

type NameRules = {
  min?: number;
  max: number;
  /** Sentences of the form for a name that is missing, too long or unusable. */
  missing?: string;
  tooLong?: string;
  unusable?: string;
};

/** A typed name, in one line; it may be empty unless `min` forbids it. */
export const TypedName = ({
  min = 0,
  max,
  missing = 'Tulis namanya.',
  tooLong = `Nama paling panjang ${max} karakter.`,
  unusable: wrong = UNUSABLE,
}: NameRules) =>
  z.string().check(
    z.trim(),
    z.minLength(min, missing),
    z.maxLength(max, { error: tooLong, abort: true }),
    z.refine((name) => onlyUsable.test(name) && (name === '' || isVisible(name)), wrong),
  );

/** The same for names by which people know each other: none of them may pass for the operator of the installation. */
export const PublicName = (rules: NameRules) =>
  TypedName(rules).check(
    z.refine(
      (name) => !passesForOperator(name),
      'Nama ini dapat dikira milik pengelola. Pakai nama lain.',
    ),
  );

/**
 * A name that a stranger gave, as people may see it: one line without unusable characters; `undefined` when nothing of
 * it is visible.
 */
export function cleanedName(name: string, max: number): string | undefined {
  const line = name
    .slice(0, 4 * max)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(allUnusable, '')
    .trim();
  return isVisible(line) ? line.slice(0, max).toWellFormed().trim() : undefined;
}

/** Without characters that a file's name cannot have, either. */
export const withoutUnusable = (text: string): string => text.replace(allUnusable, '');

const bidiControls = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const rightToLeft =
  /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/**
 * A name inside a sentence: one that is written from right to left stands between FSI and PDI, so that it does not
 * reorder the words around it. Marks of direction inside it are dropped; other names stay as they are.
 */
export function isolated(name: string): string {
  const bare = name.replace(bidiControls, '');
  return rightToLeft.test(bare) ? `\u2068${bare}\u2069` : bare;
}

/** Letters that look like those of our alphabet and are not folded to them by NFKD. */
const lookAlikes: Readonly<Record<string, string>> = {
  a: 'ɑαаᴀꭺꓮⱥ@4',
  b: 'ƀɓβвьъᏼʙꓐ8',
  c: 'ϲсᴄꮯꓚ',
  d: 'đɖɗԁᴅꭰꓓ',
  e: 'ɛεеєᴇꭼꓰ3',
  f: 'ƒғꜰꓝ',
  g: 'ɡɢԍꓖ',
  h: 'ħнһʜհꓧ',
  i: 'ıɩɨιіӏᴉɪꭵꮖӀl|!1ꓲ',
  j: 'јᴊꭻꓙ',
  k: 'ƙκкқҝᴋꮶꓗ',
  m: 'мᴍꮇꓟ',
  n: 'ŋɲηпиոɴꓠ',
  o: 'øɵοоօᴏꓳ0',
  p: 'ρрᴘꮲꓑ',
  q: 'ԛ',
  r: 'ɍɾгᴦʀꮢꓣ',
  s: 'ѕꜱꮪꓢ$5',
  t: 'ŧτтᴛꭲꓔ7',
  u: 'υսᴜʋꓴ',
  v: 'νѵᴠꓦ',
  w: 'ԝωшᴡꮃꓪ',
  x: 'χхꓫ',
  y: 'γуүʏꓬ',
  z: 'ʐᴢꮓꓜ2',
};
const looksLike = new Map(
  Object.entries(lookAlikes).flatMap(([letter, others]) =>
    Array.from(others, (one) => [one, letter] as const),
  ),
);
/** Cyrillic and Greek letters by their sound, if they look like other Latin letters. */
const readAs = new Map(
  Object.entries({
    b: 'бβ',
    d: 'дδ',
    f: 'фφ',
    g: 'г',
    i: 'ийлλη',
    n: 'нν',
    p: 'пπ',
    r: 'рρ',
    s: 'сσ',
    u: 'у',
  }).flatMap(([letter, others]) => Array.from(others, (one) => [one, letter] as const)),
);
/** First code points of 26 letters in a row: in circles, in squares, and as signs of flags. */
const letterRows = [0x1f150, 0x1f170, 0x1f1e6];

function plainLetter(sign: string, isRead: boolean): string {
  const code = sign.codePointAt(0) ?? 0;
  const row = letterRows.find((first) => code >= first && code < first + 26);
  const letter = row === undefined ? sign : String.fromCharCode(97 + code - row);
  return (isRead ? readAs.get(letter) : undefined) ?? looksLike.get(letter) ?? letter;
}

/**
 * The words of a name as they look: every letter as the one of our alphabet that it resembles.
 *
 * @param isRead letters of other alphabets count by their sound instead, where it differs.
 */
const wordsAsSeen = (name: string, isRead = false): string[] =>
  Array.from(withoutUnusable(name).normalize('NFKD').toLowerCase(), (sign) =>
    plainLetter(sign, isRead),
  )
    .join('')
    .normalize('NFKD')
    .replace(/[\p{M}\u200C\u200D]/gu, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .split(/[^a-z]+/)
    .filter((word) => word !== '');

const asSeen = (word: string): string => wordsAsSeen(word).join('');
const PRODUCT = asSeen('kabari');
/** Roles that an operator's name would have; the short ones count as words of their own only. */
const roles = [
  'admin bantuan billing customer finance helpdesk keamanan keuangan',
  'layanan official operator pengelola petugas pusat resmi security',
  'sistem staff support system verifikasi',
].flatMap((line) => line.split(' ').map(asSeen));
const shortRoles = new Set(
  ['bot', 'care', 'cs', 'help', 'info', 'staf', 'team', 'tim'].map(asSeen),
);
/** A country's or a company's sign beside the product's name makes it no other name. */
const ADDED_MAX = 3;

/** Whether a name could be taken for the operator of the installation: the product's name, alone or with a role. */
const passesForOperator = (name: string): boolean =>
  [false, true].some((isRead) => isOperatorName(wordsAsSeen(name, isRead)));

function isOperatorName(words: readonly string[]): boolean {
  const all = words.join('');
  if (!all.includes(PRODUCT)) return false;
  const rest = all.replaceAll(PRODUCT, '');
  return (
    rest.length <= ADDED_MAX ||
    roles.some((role) => rest.includes(role)) ||
    words.some((word) => shortRoles.has(word.replaceAll(PRODUCT, '')))
  );
}
