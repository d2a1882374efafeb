import { captionText } from '#contract/messages/captions.ts';
import type { ChatContent, MessageType } from '#contract/messages.ts';
import type { MediaFacts } from '#server/domains/media/media.ts';

/** A message's content, as stored in `messages.body`: one shape per type (`rest.ts`, flattened). */
export type Body = Readonly<Record<string, unknown>>;

/** A short-lived, signed address of a stored file. */
export type FileLink = (accountId: string, fileId: string) => string;

/** The same address with the instant at which it ends. */
export type OfferFile = (accountId: string, fileId: string) => { link: string; expiresAt: Date };

const EXCERPT_MAX = 120;

const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/**
 * The first words of a message for a table, a list or a notice, without markup. Empty for media without a
 * caption.
 */
export function excerptOf(type: MessageType, body: Body): string {
  const words = wordsOf(type, body);
  const letters = [...words];
  return letters.length <= EXCERPT_MAX ? words : `${letters.slice(0, EXCERPT_MAX - 1).join('')}…`;
}

function wordsOf(type: MessageType, body: Body): string {
  switch (type) {
    case 'text':
    case 'template':
      return captionText(text(body['text']) ?? '');
    case 'reaction':
      return text(body['emoji']) ?? '';
    case 'location':
      return captionText(text(body['name']) ?? text(body['address']) ?? coordinates(body) ?? '');
    case 'contact':
      return oneLine(text(body['name']) ?? text(body['phone']) ?? '');
    default:
      return captionText(text(body['caption']) ?? '') || oneLine(text(body['filename']) ?? '');
  }
}

const oneLine = (words: string): string => words.replace(/\s+/g, ' ').trim();

function coordinates(body: Body): string | null {
  const { latitude, longitude } = body;
  const known = typeof latitude === 'number' && typeof longitude === 'number';
  return known ? `${latitude},${longitude}` : null;
}

/**
 * What a message's body says of its file: which one it is, what it is, and what is shown of it before somebody
 * opens it. A document has the file's own name where its sender gave it none.
 */
export function fileFacts(file: MediaFacts, type: MessageType, body: Body): Body {
  const named = type !== 'document' || text(body['filename']) !== null;
  return {
    file: file.fileId,
    mime: file.mime,
    bytes: file.sizeBytes,
    sha256: file.sha256.toString('hex'),
    ...(!named && { filename: file.name }),
    ...(file.previewId !== null && { preview: file.previewId }),
    ...(file.waveform !== null && { waveform: file.waveform, seconds: file.seconds }),
  };
}

/** What is known of a file for those who show it; the API says what the file is. */
const shownOnly = ['preview', 'waveform', 'seconds'] as const;

/** The body with a link in place of a stored file's id. */
export function bodyWithLink(accountId: string, body: Body, fileLink: FileLink): Body {
  const file = text(body['file']);
  if (file === null) return body;
  const { file: _, ...rest } = body;
  return { ...rest, link: fileLink(accountId, file) };
}

/**
 * The body as the API shows it: a stored file is an absolute link, and says until when it is good. The link
 * that its sender gave is its `source`.
 *
 * @param origin where links begin that do not name their host.
 */
export function bodyForApi(
  accountId: string,
  stored: Body,
  { offerFile, origin }: { offerFile: OfferFile; origin: string },
): Body {
  const body = withoutProvider(stored);
  const file = text(body['file']);
  if (file === null) return body;
  const shown = Object.fromEntries(
    Object.entries(body).filter(
      ([name]) => name !== 'file' && !(shownOnly as readonly string[]).includes(name),
    ),
  );
  const { link, expiresAt } = offerFile(accountId, file);
  return {
    ...shown,
    ...(text(body['link']) !== null && { source: body['link'] }),
    link: new URL(link, origin).href,
    expires_at: expiresAt,
  };
}

/** Without what only the network knows it by. */
function withoutProvider({ provider_id: _, quoted, ...body }: Body): Body {
  if (typeof quoted !== 'object' || quoted === null) return body;
  const { provider_id: __, ...shown } = quoted as Body;
  return { ...body, quoted: shown };
}

/**
 * A message as the chat renderer takes it (docs/screens.md#chat): a place is shown as text with a link to a
 * map; a document is always a file, also when it happens to be a picture.
 *
 * @param stored the stored message. External links are not files here: pages open them, and never load them.
 */
export function contentOf(
  { accountId, type, body: stored }: { accountId: string; type: MessageType; body: Body },
  fileLink: FileLink,
): ChatContent {
  const body = bodyWithLink(accountId, stored, fileLink);
  const link = text(body['link']);
  const content = {
    type: renderedAs(type, body),
    caption: text(body['caption']) ?? '',
    url: link,
    external: link !== null && text(stored['file']) === null,
    filename: text(body['filename']),
    name: null,
    phone: null,
  };
  switch (type) {
    case 'text':
      return { ...content, caption: text(body['text']) ?? '' };
    case 'template':
      return { ...content, caption: templateText(body) };
    case 'reaction':
      return { ...content, caption: text(body['emoji']) ?? '' };
    case 'location':
      return { ...content, caption: placeOf(body) };
    case 'contact':
      return { ...content, name: text(body['name']), phone: text(body['phone']) };
    case 'document':
      return { ...content, filename: content.filename ?? lastSegment(link) };
    default:
      return content;
  }
}

const imageKinds = new Set(['jpeg', 'jpg', 'png', 'webp']);
const shownOtherwise = new Set([...imageKinds, 'ogg', 'mp4', 'vcard', 'text']);

function renderedAs(type: MessageType, body: Body): string {
  const kind = kindOf(body);
  switch (type) {
    case 'text':
    case 'template':
    case 'reaction':
    case 'location':
      return 'text';
    case 'contact':
      return 'vcard';
    case 'image':
      return imageKinds.has(kind) ? kind : 'jpeg';
    case 'sticker':
      return 'webp';
    case 'audio':
      return 'ogg';
    case 'video':
      return 'mp4';
    default:
      return kind === '' || shownOtherwise.has(kind) ? 'file' : kind;
  }
}

/** A file's kind for the renderer: from its MIME type, else from the extension of its name or link. */
function kindOf(body: Body): string {
  const mime = text(body['mime'])?.split(';')[0]?.trim().split('/')[1];
  if (mime !== undefined && /^[a-z0-9]{1,8}$/.test(mime)) return mime;
  const name = text(body['filename']) ?? lastSegment(text(body['link'])) ?? '';
  return /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** The name at the end of an address; null when it has none. */
function lastSegment(link: string | null): string | null {
  if (link === null || !URL.canParse(link, 'http://here')) return null;
  const last = new URL(link, 'http://here').pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || null;
  } catch {
    return last || null;
  }
}

/** A filled-in template as its receiver reads it: header, body, footer, and its buttons in a line each. */
function templateText(body: Body): string {
  const buttons = Array.isArray(body['buttons']) ? body['buttons'].map((one) => `[${one}]`) : [];
  return [text(body['header']), text(body['text']), text(body['footer']), buttons.join('\n')]
    .filter((part) => part !== null && part !== '')
    .join('\n\n');
}

function placeOf(body: Body): string {
  const at = coordinates(body);
  const map = at === null ? null : `https://www.google.com/maps?q=${at}`;
  return [text(body['name']), text(body['address']), map]
    .filter((line) => line !== null)
    .join('\n');
}
