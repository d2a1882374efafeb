import type { ChatFile, FilledTemplate, Place } from '#contract/messages/content.ts';
import { normalizePhone, PHONE_DIGITS_MAX } from '#contract/base/written-number.ts';

/** A message as the renderer gets it (docs/screens.md#chat). */
export type ChatMessage = {
  type: string;
  caption?: string | null;
  url?: string | null;
  /** Whether the file lies with somebody else; left out: whether `url` leads to another site. */
  external?: boolean | null;
  filename?: string | null;
  /** What is known of the file before it is opened. */
  file?: Partial<ChatFile> | undefined;
  place?: Place | undefined;
  template?: FilledTemplate | undefined;
  origin?: string | undefined;
  notice?: 'other' | 'edited' | 'revoked' | undefined;
  /** A contact card's. */
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

/** How a type is shown; anything unknown is a file. */
export const chatKind = (type: string): ChatKind => kinds.get(type) ?? 'file';

/** A contact's number as digits in 62 form, at most 15 of them: what a `tel:` address is built from. */
export const contactDigits = (phone: string): string =>
  normalizePhone(phone).replace(/\D/g, '').slice(0, PHONE_DIGITS_MAX);

/** A `tel:` address of digits with the country in front; `undefined` for what holds no digit. */
export function phoneHref(phone: string): string | undefined {
  const digits = contactDigits(phone);
  return digits === '' ? undefined : `tel:+${digits}`;
}

/** The address of a message's file when it may be loaded: http, https or blob; else `undefined`. */
export function mediaUrl(url: string, base: string): string | undefined {
  if (!URL.canParse(url, base)) return undefined;
  return ['http:', 'https:', 'blob:'].includes(new URL(url, base).protocol) ? url : undefined;
}

/**
 * Whether a message's file lies with somebody else. Such a file is a link to open: the page's policy does not
 * load it, and its owner would learn who reads the message, and when.
 */
export function isExternal(
  { url, external }: Pick<ChatMessage, 'url' | 'external'>,
  base: string,
): boolean {
  if (typeof external === 'boolean' || !url || !URL.canParse(url, base)) return external === true;
  return new URL(url, base).origin !== new URL(base).origin;
}

const NAME_MAX = 200;

/** A name as it is shown: its first 200 letters, however many code points each is made of. */
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

/** The letters behind a file name's last dot, in lower case; empty when it has no such end. */
export const fileEnd = (filename: string): string =>
  /[^.\s]\.([a-z0-9]{1,8})$/i.exec(filename)?.[1]?.toLowerCase() ?? '';

/** What a file is, by the end of its name, or by its type where the name has none. */
export const fileKind = (filename: string, type: string): FileKind =>
  kindOfEnd.get(fileEnd(filename) || type.toLowerCase()) ?? 'other';

/** A file's type as people say it: `PDF`, `XLSX`; empty when neither name nor type tells. */
export function fileType(filename: string, type: string): string {
  const end = fileEnd(filename) || type.split('/').at(-1) || '';
  return /^[a-z0-9]{1,8}$/i.test(end) && !/^(?:file|document)$/i.test(end) ? end.toUpperCase() : '';
}

const RUN_MS = 5 * 60_000;

type Said = {
  side: 'out' | 'in';
  at: Date;
  /** Who, where several write on one side. */
  by?: string | undefined;
};

/** True when a message starts a new run: another sender, or five minutes later. */
export const startsRun = (message: Said, before: Said | undefined): boolean =>
  before === undefined ||
  before.side !== message.side ||
  before.by !== message.by ||
  message.at.getTime() - before.at.getTime() > RUN_MS;
