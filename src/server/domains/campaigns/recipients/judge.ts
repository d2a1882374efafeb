import { storable } from '#contract/base/text.ts';
import { COLUMNS_MAX, RECIPIENTS_MAX } from '#contract/campaigns/campaign.ts';
import type { UnreadableList } from '#contract/campaigns/refusals.ts';
import { variableKey } from '#contract/campaigns/variables.ts';
import { Peer, isUserId, normalizePeer } from '#contract/messages/peer.ts';

/** A line of a list: its number as it is written, and stored; null where it is none. */
export type Recipient = {
  written: string;
  peer: string | null;
  /** By the list's columns. */
  cells: string[];
  /** The number stands further up already. */
  isDuplicate: boolean;
};

/** A list of recipients as it was read; its columns are those beside the number. */
export type RecipientList = { columns: string[]; recipients: Recipient[] };

const CELL_MAX = 500;
/** Cells of a line that are looked at. */
const CELLS_MAX = 64;
/** Letters of a list in all: a spreadsheet of 6 MB can hold a billion, one text in each of its cells. */
const LETTERS_MAX = 30_000_000;
const NAME_MAX = 40;
/** By so many lines the column of numbers is looked for, where none is named so. */
const SAMPLE_LINES = 200;

/** What lists call the column of numbers. */
const numberNames =
  /^(?:(?:no|nomor|nomer)(?:[ ._-]*(?:hp|wa|whatsapp|telp|telepon|tlp|ponsel|handphone|tujuan|penerima|kontak))?|hp|wa|whatsapp|telp|telepon|tlp|ponsel|handphone|phone(?:[ _-]*number)?|mobile|msisdn|number|to|tujuan)\.?$/;

const namesNumbers = (cell: string): boolean => numberNames.test(cell.toLowerCase());

/** Whether a first line names columns: `NO.HP` does, though it looks like a user id. */
const isHead = (line: readonly string[]): boolean =>
  line.some(namesNumbers)
    ? line.every((cell) => peerOf(cell) === null || isUserId(cell))
    : line.every((cell) => peerOf(cell) === null);

/**
 * Reads a table of cells as a list of recipients. The first line names the columns unless it holds a number itself;
 * the numbers are in the column that is named so, else in the one that holds the most. Blank lines are left out.
 *
 * @returns the list, or why there is none in it.
 */
export function judgeList(lines: Iterable<readonly string[]>): RecipientList | UnreadableList {
  const rows: string[][] = [];
  let letters = 0;
  for (const line of lines) {
    // Of the columns beyond, one may hold the numbers.
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
  const at = numberColumn(head, body);
  if (at === undefined) return body.length === 0 ? 'empty' : 'no_numbers';
  const width = Math.min(Math.max(...sample(rows).map((row) => row.length)), COLUMNS_MAX + 1);
  const others = Array.from({ length: width }, (_, place) => place).filter((place) => place !== at);
  return {
    columns: namesOf(head, others),
    recipients: recipientsOf(body, at, others),
  };
}

const sample = <T>(rows: readonly T[]): readonly T[] => rows.slice(0, SAMPLE_LINES);

/**
 * A cell as it is stored: without what is not seen, but for what joins letters and emoji; and without the apostrophe by
 * which spreadsheets mark a text.
 */
const cleanCell = (cell: string): string =>
  storable(cell.slice(0, 2 * CELL_MAX))
    .replace(/[[\p{Cc}\p{Cf}]--[\u200C\u200D]]+/gv, ' ')
    .trim()
    .replace(/^'(?=[\d+=@-])/, '')
    .slice(0, CELL_MAX)
    .toWellFormed();

/** The stored form of a written number; null where it is none, as words are: `PT.Maju` looks like a user id. */
function peerOf(written: string): string | null {
  if (written.length > 140) return null;
  if (isUserId(written) && !/\d/.test(written)) return null;
  const read = Peer().safeParse(normalizePeer(written));
  return read.success ? read.data : null;
}

function numberColumn(
  head: readonly string[] | undefined,
  body: readonly (readonly string[])[],
): number | undefined {
  const named = head?.findIndex(namesNumbers) ?? -1;
  if (named !== -1) return body.length === 0 ? undefined : named;
  const counts = new Map<number, number>();
  for (const row of sample(body)) {
    for (const [place, cell] of row.entries()) {
      if (peerOf(cell) !== null) counts.set(place, (counts.get(place) ?? 0) + 1);
    }
  }
  const [best] = [...counts].toSorted(([a, n], [b, m]) => m - n || a - b);
  return best?.[0];
}

/**
 * The names of columns, each once, of what a variable can name (`contract/campaigns/variables.ts`): what has none is called
 * by its place, the first of a list without heads `nama`.
 */
function namesOf(head: readonly string[] | undefined, places: readonly number[]): string[] {
  const taken = new Set<string>();
  return places.map((place, index) => {
    const fallback = head === undefined && index === 0 ? 'nama' : `kolom ${place + 1}`;
    const written = (head?.[place] ?? '')
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}_ .-]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .replace(/^[ .-]+/, '');
    const name = beginningOf(written, NAME_MAX) || fallback;
    let own = name;
    for (let n = 2; taken.has(variableKey(own)); n += 1) own = `${beginningOf(name, 35)} ${n}`;
    taken.add(variableKey(own));
    return own;
  });
}

/** So many characters of a text at most, none of them cut. */
const beginningOf = (text: string, max: number): string => [...text].slice(0, max).join('').trim();

function recipientsOf(
  body: readonly (readonly string[])[],
  at: number,
  others: readonly number[],
): Recipient[] {
  const seen = new Set<string>();
  return body.map((row) => {
    const written = row[at] ?? '';
    const peer = peerOf(written);
    const isDuplicate = peer !== null && seen.has(peer);
    if (peer !== null) seen.add(peer);
    return { written, peer, cells: others.map((place) => row[place] ?? ''), isDuplicate };
  });
}
