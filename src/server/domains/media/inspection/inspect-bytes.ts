import { open } from 'node:fs/promises';
import type { FileMime } from '#contract/uploads.ts';

/** Type detected from bytes. `old_office` and `zip` are containers that need a closer look. */
export type Sniffed =
  | 'jpeg'
  | 'png'
  | 'webp'
  | 'gif'
  | 'ogg'
  | 'mp4'
  | 'webm'
  | 'mp3'
  | 'aac'
  | 'amr'
  | 'pdf'
  | 'zip'
  | 'old_office'
  | 'markup'
  | 'text'
  | 'unknown';

type Mark = { is: Sniffed; at: number; says: string | RegExp };

const marks: readonly Mark[] = [
  { is: 'png', at: 0, says: '\x89PNG\r\n\x1a\n' },
  { is: 'jpeg', at: 0, says: '\xff\xd8\xff' },
  { is: 'webp', at: 0, says: /^RIFF[^]{4}WEBPVP8/ },
  { is: 'gif', at: 0, says: /^GIF8[79]a/ },
  { is: 'ogg', at: 0, says: 'OggS\0' },
  // The brands of MPEG-4 and 3GPP; QuickTime and pictures in the same box are other types.
  { is: 'mp4', at: 4, says: /^ftyp(isom|iso[2-9]|mp4[12]|avc1|M4[AVBP] |dash|3g[p2]|MSNV)/ },
  { is: 'webm', at: 0, says: /^\cZE\xdf\xa3[^]{1,40}webm/ },
  { is: 'mp3', at: 0, says: /^(ID3[\cB-\cD]|\xff[\xe2\xe3\xf2\xf3\xfa\xfb])/ },
  { is: 'aac', at: 0, says: /^\xff[\xf0\xf1\xf8\xf9]/ },
  { is: 'amr', at: 0, says: /^#!AMR(-WB)?\n/ },
  { is: 'pdf', at: 0, says: /^%PDF-[12]\./ },
  { is: 'zip', at: 0, says: 'PK\x03\x04' },
  { is: 'old_office', at: 0, says: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1' },
];

const MARK_BYTES = 64;
const HEAD_BYTES = 1_024;
/** Content that a browser would render, or a server run: pages, scripted pictures, scripts. */
const markup = /^(<[!?a-z/%]|#!|%!PS|\{\\rtf)/i;
/**
 * Control characters that no text has, read as latin-1: the bytes of UTF-8 beyond ASCII do not match.
 */
export const controls = /[[\p{Cc}&&\p{ASCII}]--[\t\n\v\f\r]]/v;

/** Detects the type from the first bytes, regardless of the file's name or declared type. */
export function sniff(bytes: Uint8Array): Sniffed {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  const mark = marks.find(({ at, says }) =>
    typeof says === 'string'
      ? head.startsWith(says, at)
      : says.test(head.slice(at, at + MARK_BYTES)),
  );
  if (mark) return mark.is;
  if (head === '') return 'unknown';
  const words = utf16TextOf(bytes.subarray(0, HEAD_BYTES)) ?? head;
  if (controls.test(words)) return 'unknown';
  return markup.test(words.replace(/^(\xef\xbb\xbf|\ufeff)/, '').trimStart()) ? 'markup' : 'text';
}

/**
 * A text of UTF-16, by its byte order mark: one byte of many letters beyond Latin looks like a control character.
 */
function utf16TextOf(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return undefined;
}

const mimeOf: Partial<Record<Sniffed, string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  ogg: 'audio/ogg',
  mp4: 'video/mp4',
  mp3: 'audio/mpeg',
  aac: 'audio/aac',
  amr: 'audio/amr',
  pdf: 'application/pdf',
};

/** The type to store bytes under that have no declared type; never one that a browser would run. */
export const mimeByBytes = (bytes: Uint8Array): string =>
  mimeOf[sniff(bytes)] ?? 'application/octet-stream';

const sniffedAs: Record<FileMime, Sniffed> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'audio/ogg': 'ogg',
  'audio/mp4': 'mp4',
  'audio/webm': 'webm',
  'audio/mpeg': 'mp3',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
  'video/mp4': 'mp4',
  'video/3gpp': 'mp4',
  'application/pdf': 'pdf',
  'application/msword': 'old_office',
  'application/vnd.ms-excel': 'old_office',
  'application/vnd.ms-powerpoint': 'old_office',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'zip',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'zip',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'zip',
  'application/zip': 'zip',
  'text/csv': 'text',
  'text/plain': 'text',
};

export const startsAsType = (mime: FileMime, head: Uint8Array): boolean =>
  sniff(head) === sniffedAs[mime];

export async function readEdges(path: string): Promise<{ head: Buffer; tail: Buffer }> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const read = async (position: number) => {
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(HEAD_BYTES), position });
      return buffer.subarray(0, bytesRead);
    };
    return { head: await read(0), tail: await read(Math.max(0, size - HEAD_BYTES)) };
  } finally {
    await file.close();
  }
}

const OVERLAP = 256;

/**
 * Reads a file once, in latin-1, and answers which patterns it contains. A match longer than 256 letters may be missed
 * where two reads meet.
 *
 * @param as transforms the text before matching.
 */
export async function findPatterns<Name extends string>(
  path: string,
  patterns: Readonly<Record<Name, RegExp>>,
  as: (text: string) => string = (text) => text,
): Promise<Set<Name>> {
  const found = new Set<Name>();
  const names = Object.keys(patterns) as Name[];
  const file = await open(path, 'r');
  let before = '';
  for await (const chunk of file.createReadStream({ highWaterMark: 1 << 18 })) {
    const raw = before + (chunk as Buffer).toString('latin1');
    const text = as(raw);
    for (const name of names) {
      if (!found.has(name) && patterns[name].test(text)) found.add(name);
    }
    before = raw.slice(-OVERLAP);
  }
  return found;
}
