import { withoutUnusable } from './schema.ts';

/** Letters that look like Latin ones but that NFKD does not fold to them. */
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
const letterRows = [0x1f150, 0x1f170, 0x1f1e6];

function plainLetter(sign: string, isRead: boolean): string {
  const code = sign.codePointAt(0) ?? 0;
  const row = letterRows.find((first) => code >= first && code < first + 26);
  const letter = row === undefined ? sign : String.fromCharCode(97 + code - row);
  return (isRead ? readAs.get(letter) : undefined) ?? looksLike.get(letter) ?? letter;
}

/**
 * The words of a name by appearance: every letter is replaced by the Latin one it resembles.
 *
 * @param isRead use the sound of foreign letters instead, where it differs.
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
/** Roles that an impersonator would use; the short ones count as whole words only. */
const roles = [
  'admin bantuan billing customer finance helpdesk keamanan keuangan',
  'layanan official operator pengelola petugas pusat resmi security',
  'sistem staff support system verifikasi',
].flatMap((line) => line.split(' ').map(asSeen));
const shortRoles = new Set(
  ['bot', 'care', 'cs', 'help', 'info', 'staf', 'team', 'tim'].map(asSeen),
);
/** Up to this many extra letters, as of a country or company form, still count as the product's name. */
const ADDED_MAX = 3;

/** Whether a name could pass for the operator of the installation: the product's name, alone or with a role. */
export const passesForOperator = (name: string): boolean =>
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
