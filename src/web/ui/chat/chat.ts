import type { ChatFile, FilledTemplate, Place } from '#contract/messages/content.ts';
import { normalizePhone, PHONE_DIGITS_MAX } from '#contract/base/written-number.ts';

/** A message as the renderer gets it (docs/screens.md#chat). */
export type ChatMessage = {
  type: string;
  caption?: string | null;
  url?: string | null;
  /** Whether the file is on another host; omitted: derived from `url`. */
  external?: boolean | null;
  filename?: string | null;
  file?: Partial<ChatFile> | undefined;
  place?: Place | undefined;
  template?: FilledTemplate | undefined;
  origin?: string | undefined;
  notice?: 'other' | 'edited' | 'revoked' | undefined;
  name?: string | null;
  phone?: string | null;
  phones?: readonly string[] | undefined;
  organization?: string | undefined;
  email?: string | undefined;
};

export type ChatKind =
  | 'image'
  | 'sticker'
  | 'audio'
  | 'video'
  | 'contact'
  | 'location'
  | 'template'
  | 'text'
  | 'file';

const kinds = new Map<string, ChatKind>([
  ['jpeg', 'image'],
  ['jpg', 'image'],
  ['png', 'image'],
  ['webp', 'image'],
  ['ogg', 'audio'],
  ['mp4', 'video'],
  ['vcard', 'contact'],
  ['text', 'text'],
  ['sticker', 'sticker'],
  ['location', 'location'],
  ['template', 'template'],
]);

/** The rendering of a type; unknown types are files. */
export const chatKind = (type: string): ChatKind => kinds.get(type) ?? 'file';

/** A contact's number as digits in 62 form, at most 15, as used in `tel:` addresses. */
export const contactDigits = (phone: string): string =>
  normalizePhone(phone).replace(/\D/g, '').slice(0, PHONE_DIGITS_MAX);

/** A `tel:` address with the country code; `undefined` for a text without digits. */
export function phoneHref(phone: string): string | undefined {
  const digits = contactDigits(phone);
  return digits === '' ? undefined : `tel:+${digits}`;
}

/** The address of a message's file if it may be loaded: http, https or blob; else `undefined`. */
export function mediaUrl(url: string, base: string): string | undefined {
  if (!URL.canParse(url, base)) return undefined;
  return ['http:', 'https:', 'blob:'].includes(new URL(url, base).protocol) ? url : undefined;
}

/**
 * True if a message's file is on another host. Such a file is only linked: the CSP blocks it, and its owner would learn
 * who reads the message, and when.
 */
export function isExternal(
  { url, external }: Pick<ChatMessage, 'url' | 'external'>,
  base: string,
): boolean {
  if (typeof external === 'boolean' || !url || !URL.canParse(url, base)) return external === true;
  return new URL(url, base).origin !== new URL(base).origin;
}

const NAME_MAX = 200;

/** A name for display: its first 200 characters (grapheme clusters). */
export function shortName(name: string): string {
  if (name.length <= NAME_MAX) return name;
  let end = 0;
  let letters = 0;
  for (const { segment } of new Intl.Segmenter('id').segment(name)) {
    letters += 1;
    if (letters > NAME_MAX) return `${name.slice(0, end)}…`;
    end += segment.length;
  }
  return name;
}

export type FileKind =
  | 'document'
  | 'sheet'
  | 'slides'
  | 'archive'
  | 'image'
  | 'audio'
  | 'video'
  | 'code'
  | 'other';

const fileKinds: readonly [FileKind, string][] = [
  ['document', 'pdf doc docx odt rtf txt md'],
  ['sheet', 'xls xlsx ods csv tsv'],
  ['slides', 'ppt pptx odp'],
  ['archive', 'zip rar 7z gz tar tgz'],
  ['image', 'svg gif bmp tif tiff heic avif psd jpg jpeg png webp'],
  ['audio', 'mp3 wav m4a aac flac opus amr ogg'],
  ['video', 'mov avi mkv webm 3gp mp4'],
  ['code', 'json xml html css js ts sql yaml yml'],
];
const kindOfEnd = new Map(
  fileKinds.flatMap(([kind, ends]) => ends.split(' ').map((end) => [end, kind] as const)),
);

/** The extension of a file name in lower case; empty if it has none. */
export const fileEnd = (filename: string): string =>
  /[^.\s]\.([a-z0-9]{1,8})$/i.exec(filename)?.[1]?.toLowerCase() ?? '';

/** The kind of a file by its extension, else by its type. */
export const fileKind = (filename: string, type: string): FileKind =>
  kindOfEnd.get(fileEnd(filename) || type.toLowerCase()) ?? 'other';

/** A file's type for people: `PDF`, `XLSX`; empty if unknown. */
export function fileType(filename: string, type: string): string {
  const end = fileEnd(filename) || type.split('/').at(-1) || '';
  return /^[a-z0-9]{1,8}$/i.test(end) && !/^(?:file|document)$/i.test(end) ? end.toUpperCase() : '';
}

const RUN_MS = 5 * 60_000;

type RunMessage = {
  side: 'out' | 'in';
  at: Date;
  by?: string | undefined;
};

/** True when a message starts a new run: another sender, or five minutes later. */
export const startsRun = (message: RunMessage, before: RunMessage | undefined): boolean =>
  before === undefined ||
  before.side !== message.side ||
  before.by !== message.by ||
  message.at.getTime() - before.at.getTime() > RUN_MS;
