import { IndonesianMobile } from '#contract/base/phone.ts';
import { storable } from '#contract/base/text.ts';
import { COLUMN_NAME_MAX, COLUMNS_MAX, RECIPIENTS_MAX, variableKey } from '#contract/campaigns.ts';
import type { UnreadableList } from '#contract/base/refusals.ts';
import { Peer, isHiddenPeer, normalizePeer } from '#contract/messages/peer.ts';

/** A row of a list: its number as written, and as stored; null if it is not a number. */
export type Recipient = {
  written: string;
  peer: string | null;
  cells: string[];
  isDuplicate: boolean;
};

export type RecipientList = {
  numberColumn: string;
  columns: string[];
  recipients: Recipient[];
};

const CELL_MAX = 500;
export const CELLS_MAX = 64;
/** Characters per list: a spreadsheet of 6 MB can hold a billion, one text in each cell. */
const LETTERS_MAX = 30_000_000;
/** Rows that decide which column holds the numbers. */
const SAMPLE_LINES = 200;

const numberNames =
  /^(?:(?:no|nomor|nomer)(?:[ ._-]*(?:hp|wa|whatsapp|telp|telepon|tlp|ponsel|handphone|tujuan|penerima|kontak))?|hp|wa|whatsapp|telp|telepon|tlp|ponsel|handphone|phone(?:[ _-]*number)?|mobile|msisdn|number|to|tujuan)\.?$/;

const namesNumbers = (cell: string): boolean => numberNames.test(cell.toLowerCase());

/** Words in the name of a column of recipients' numbers, the clearest first. */
const nameWords = [
  /^(?:wa|whatsapp|nowa)$/,
  /^(?:hp|nohp|handphone|hape|ponsel|seluler|mobile|cellphone|cell|gsm|msisdn)$/,
  /^(?:phone|telp|notelp|telepon|telephone|tlp|tel|kontak|contact)$/,
  /^(?:no|nomor|nomer|number|to|tujuan|penerima)$/,
];

function rankOf(name: string): number {
  const words = name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const at = nameWords.findIndex((pattern) => words.some((word) => pattern.test(word)));
  return at === -1 ? 0 : nameWords.length - at;
}

/** Whether a first row is a header: `NO.HP` is, although it looks like a user id. */
const isHead = (line: readonly string[]): boolean =>
  line.some(namesNumbers)
    ? line.every((cell) => peerOf(cell) === null || isHiddenPeer(cell))
    : line.every((cell) => peerOf(cell) === null);

/**
 * Reads a table of cells as a list of recipients. The first row is the header unless it holds a number;
 * `numberColumnOf` finds the number column. Blank rows are left out.
 *
 * @returns the list, or the reason it is unreadable
 */
export async function judgeList(
  lines: Iterable<readonly string[]> | AsyncIterable<readonly string[]>,
): Promise<RecipientList | UnreadableList> {
  const rows: string[][] = [];
  let letters = 0;
  for await (const line of lines) {
    // A column beyond the limit may hold the numbers.
    const cells = line.slice(0, CELLS_MAX).map(cleanCell);
    if (cells.every((cell) => cell === '')) continue;
    for (const { length } of cells) letters += length;
    if (rows.length > RECIPIENTS_MAX || letters > LETTERS_MAX) return 'too_many';
    rows.push(cells);
  }
  const [first] = rows;
  if (!first) return 'empty';
  const head = isHead(first) ? first : undefined;
  const body = head ? rows.slice(1) : rows;
  if (body.length > RECIPIENTS_MAX) return 'too_many';
  const at = numberColumnOf(head, body);
  if (at === undefined) return body.length === 0 ? 'empty' : 'no_numbers';
  const width = Math.min(Math.max(...sample(rows).map((row) => row.length)), COLUMNS_MAX + 1);
  const others = Array.from({ length: width }, (_, place) => place).filter((place) => place !== at);
  const names = namesOf(head, { at, others });
  return {
    numberColumn: names.get(at) ?? '',
    columns: others.map((place) => names.get(place) ?? ''),
    recipients: recipientsOf(body, at, others),
  };
}

const sample = <T>(rows: readonly T[]): readonly T[] => rows.slice(0, SAMPLE_LINES);

/** A cell as stored: without invisible characters (except joiners) and a spreadsheet's apostrophe. */
const cleanCell = (cell: string): string =>
  storable(cell.slice(0, 2 * CELL_MAX))
    .replace(/[[\p{Cc}\p{Cf}]--[\u200C\u200D]]+/gv, ' ')
    .trim()
    .replace(/^'(?=[\d+=@-])/, '')
    .slice(0, CELL_MAX)
    .toWellFormed();

/** The stored form of a number; null for other text: `PT.Maju` looks like a user id. */
function peerOf(written: string): string | null {
  if (written.length > 140) return null;
  if (isHiddenPeer(written) && !/\d/.test(written)) return null;
  const read = Peer().safeParse(normalizePeer(written));
  return read.success ? read.data : null;
}

/** Weight of a number that may be a landline's or an account's; a mobile number counts 1. */
const UNCLEAR = 0.25;

/** Likelihood that a cell is a mobile number, from 0 to 1. */
function plausibilityOf(cell: string): number {
  // `2026-11-21` has as many digits as a number.
  if (/^\d{4}-\d\d-\d\d(?!\d)/.test(cell)) return 0;
  const peer = peerOf(cell);
  if (peer === null) return 0;
  const isMobile =
    isHiddenPeer(peer) || IndonesianMobile().safeParse(peer).success || /^\+(?!62)/.test(cell);
  return isMobile ? 1 : UNCLEAR;
}

/**
 * Finds the number column: of those with at least half as many plausible mobile numbers as the best one, the one with
 * the clearest name. A serial number called `No` and a landline called `Telp` rank behind `HP`.
 */
function numberColumnOf(
  head: readonly string[] | undefined,
  body: readonly (readonly string[])[],
): number | undefined {
  if (body.length === 0) return undefined;
  const scores = new Map<number, number>();
  for (const row of sample(body)) {
    for (const [place, cell] of row.entries()) {
      const plausibility = plausibilityOf(cell);
      if (plausibility > 0) scores.set(place, (scores.get(place) ?? 0) + plausibility);
    }
  }
  const rank = (place: number) => rankOf(head?.[place] ?? '');
  const best = Math.max(...scores.values());
  const [found] = [...scores]
    .filter(([, score]) => score >= best / 2)
    .toSorted(([a, m], [b, n]) => rank(b) - rank(a) || n - m || a - b);
  if (found) return found[0];
  const named = (head ?? []).flatMap((name, place) => (namesNumbers(name) ? [place] : []));
  return named.toSorted((a, b) => rank(b) - rank(a) || a - b)[0];
}

/**
 * Column names by position, each once, limited to what a variable can name (`contract/campaigns.ts`). A
 * column without a usable name is named after its position; the first of a list without a header is `nama`.
 */
function namesOf(
  head: readonly string[] | undefined,
  { at, others }: { at: number; others: readonly number[] },
): ReadonlyMap<number, string> {
  const taken = new Set<string>();
  const fallbackOf = (place: number) =>
    place === at
      ? 'nomor'
      : head === undefined && place === others[0]
        ? 'nama'
        : `kolom ${place + 1}`;
  // The number column comes last: it is a variable only if another column is selected instead.
  return new Map(
    [...others, at].map((place) => {
      const written = (head?.[place] ?? '')
        .normalize('NFC')
        .replace(/[^\p{L}\p{N}_ .-]+/gu, ' ')
        .replace(/\s+/g, ' ')
        .replace(/^[ .-]+/, '');
      const name = truncated(written, COLUMN_NAME_MAX) || fallbackOf(place);
      let own = name;
      for (let n = 2; taken.has(variableKey(own)); n += 1) own = `${truncated(name, 35)} ${n}`;
      taken.add(variableKey(own));
      return [place, own];
    }),
  );
}

const truncated = (text: string, max: number): string => [...text].slice(0, max).join('').trim();

function recipientsOf(
  body: readonly (readonly string[])[],
  at: number,
  others: readonly number[],
): Recipient[] {
  const judge = numberJudge();
  return body.map((row) => ({
    ...judge(row[at] ?? ''),
    cells: others.map((place) => row[place] ?? ''),
  }));
}

/** Judges the written numbers of a list in order, and marks duplicates. */
export function numberJudge(): (written: string) => Omit<Recipient, 'cells'> {
  const seen = new Set<string>();
  return (written) => {
    const peer = peerOf(written);
    const isDuplicate = peer !== null && seen.has(peer);
    if (peer !== null) seen.add(peer);
    return { written, peer, isDuplicate };
  };
}
