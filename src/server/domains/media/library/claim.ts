import type { MediaKind } from '#contract/media/kinds.ts';
import { type FileMime, fileKinds, mimeOfName } from '#contract/uploads.ts';
import { type Sniffed, sniff } from '#server/domains/media/inspection/inspect-bytes.ts';
import { cleanName, withEnding } from '#server/domains/media/inspection/inspect-name.ts';

/** What is said of a file from outside: its name and its type, empty when nothing is said. */
export type Said = { name: string; type: string };

/** Types that hosts and programs give to whatever they do not know, or want to be saved. */
const silent = new Set([
  '',
  '*/*',
  'application/octet-stream',
  'binary/octet-stream',
  'application/force-download',
  'application/download',
  'application/x-download',
  'application/unknown',
]);

/** What first bytes alone tell; a ZIP or an old office document may be many things. */
const told: Partial<Record<Sniffed, FileMime>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  ogg: 'audio/ogg',
  mp3: 'audio/mpeg',
  aac: 'audio/aac',
  amr: 'audio/amr',
  mp4: 'video/mp4',
  webm: 'audio/webm',
  pdf: 'application/pdf',
  text: 'text/plain',
};

/** The type that a declared one names; undefined for one that we do not take. */
function mimeOfType(type: string): FileMime | undefined {
  const kinds = Object.entries(fileKinds) as [FileMime, (typeof fileKinds)[FileMime]][];
  const named = kinds.find(([mime]) => mime === type);
  return (named ?? kinds.find(([, { alsoDeclared }]) => alsoDeclared?.includes(type)))?.[0];
}

const bare = (type: string): string => type.split(';')[0]?.trim().toLowerCase() ?? '';

/** A sound in the box of films: which one it is, only the message's type says. */
const asKind = (mime: FileMime, kind: MediaKind | undefined): FileMime =>
  kind === 'audio' && mime === 'video/mp4' ? 'audio/mp4' : mime;

/**
 * What a file claims to be, as `inspect` takes it: a name whose ending says its type, and the declared type
 * where it says something. What is claimed is believed nowhere: the bytes must agree.
 *
 * @param by who made the claim. A program names a file as it is; an address ends as it likes
 *   (`/foto.jpg` of a host that gives WebP), so that of a link the declared type goes first.
 */
export function claimOf(
  { name, type }: Said,
  { by, kind, head }: { by: 'program' | 'link'; kind?: MediaKind | undefined; head: Uint8Array },
): { name: string; declared: string } {
  const clean = cleanName(name);
  const declared = silent.has(bare(type)) ? '' : bare(type);
  const byName = mimeOfName(clean);
  const byType = declared === '' ? undefined : mimeOfType(declared);
  const mime = by === 'link' ? (byType ?? byName) : (byName ?? byType);
  // A type that is said, and not known, is refused by its own name.
  const unknown = declared !== '' && byType === undefined;
  if (unknown) return { name: clean, declared };
  const known = mime ?? told[sniff(head)];
  if (known === undefined) return { name: clean, declared };
  const is = asKind(known, kind);
  const fits = byName !== undefined && asKind(byName, kind) === is && mimeOfName(clean) === is;
  return {
    name: fits ? clean : withEnding(clean, fileKinds[is].extensions[0]),
    declared: by === 'program' ? declared : '',
  };
}
