import { publicId } from '#contract/base/ids.ts';
import { captionText } from '#contract/messages/captions.ts';
import type { MessageType } from '#contract/messages.ts';
import {
  type ChatContent,
  type ChatFile,
  type FilledTemplate,
  fileMissing,
} from '#contract/messages/content.ts';
import { shownPeer } from '#contract/messages/peer.ts';
import type { ApiFile } from '#contract/rest/messages.ts';
import { type MediaKind, isMediaKind } from '#contract/media.ts';
import type { MediaFacts } from '#server/domains/media/media.ts';

/** A message's content, as stored in `messages.body`: one shape per type (`contract/rest/messages.ts`, flattened). */
export type Body = Readonly<Record<string, unknown>>;

/** A short-lived, signed address of a stored file. */
export type FileLink = (accountId: string, fileId: string) => string;

/** The same address with the instant at which it expires. */
export type OfferFile = (accountId: string, fileId: string) => { link: string; expiresAt: Date };

const EXCERPT_MAX = 120;

const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/**
 * The first words of a message for a table, a list or a notice, without markup. Empty for media without a caption.
 */
export function excerptOf(type: MessageType, body: Body): string {
  const words = wordsOf(type, body);
  const letters = [...words];
  return letters.length <= EXCERPT_MAX ? words : `${letters.slice(0, EXCERPT_MAX - 1).join('')}…`;
}

function wordsOf(type: MessageType, body: Body): string {
  if (isRevoked(body)) return REVOKED;
  if (isMediaKind(type))
    return captionText(text(body['caption']) ?? '') || oneLine(text(body['filename']) ?? '');
  switch (type) {
    case 'text':
    case 'template':
      return captionText(textWithChoice(body));
    case 'other':
      return oneLine(text(body['text']) ?? '');
    case 'reaction':
      return text(body['emoji']) ?? '';
    case 'location':
      return captionText(text(body['name']) ?? text(body['address']) ?? coordinates(body) ?? '');
    case 'contact':
      return oneLine(cardTitle(body));
  }
}

/**
 * The full text of a message as it was written: a text, a caption with the file's name, a place, a contact. Empty for
 * media without either.
 */
export function wholeTextOf(type: MessageType, body: Body): string {
  if (isRevoked(body)) return REVOKED;
  const lines = (...values: readonly unknown[]) =>
    values.flatMap((value) => text(value) ?? []).join('\n');
  if (isMediaKind(type)) return lines(body['caption'], body['filename']);
  switch (type) {
    case 'text':
    case 'template':
    case 'other':
      return textWithChoice(body);
    case 'reaction':
      return lines(body['emoji']);
    case 'location':
      return lines(body['name'], body['address'], coordinates(body));
    case 'contact':
      return lines(body['name'], body['organization'], ...phonesIn(body), body['email']);
  }
}

const REVOKED = 'Pesan dihapus pengirim';

const isRevoked = (body: Body): boolean => text(body['revoked_at']) !== null;

function textWithChoice({ text: written, choice }: Body): string {
  const choiceTitle =
    typeof choice === 'object' && choice !== null ? (choice as Body)['title'] : null;
  return text(choiceTitle) ?? text(written) ?? '';
}

const cardTitle = (body: Body): string =>
  text(body['name']) ??
  text(body['organization']) ??
  phonesIn(body)[0] ??
  text(body['email']) ??
  '';

const oneLine = (words: string): string => words.replace(/\s+/g, ' ').trim();

function coordinates(body: Body): string | null {
  const { latitude, longitude } = body;
  const known = typeof latitude === 'number' && typeof longitude === 'number';
  return known ? `${latitude},${longitude}` : null;
}

/**
 * The media type of a message's file; for a template the type of its header. Undefined without a file.
 */
export function mediaKindIn(type: MessageType, body: Body): MediaKind | undefined {
  const kind = type === 'template' ? (text(body['header_file']) ?? '') : type;
  return isMediaKind(kind) ? kind : undefined;
}

/**
 * Metadata of a message's file for its body, with its preview. A document gets the file's own name when its sender gave
 * none.
 */
export function fileFacts(file: MediaFacts, type: MessageType, body: Body): Body {
  const isDocument = mediaKindIn(type, body) === 'document';
  const named = !isDocument || text(body['filename']) !== null;
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

/** Metadata for display only; the API has its own `file`. */
const displayFields = [
  'preview',
  'waveform',
  'seconds',
  'media',
  'mime',
  'bytes',
  'sha256',
] as const;

type ExistingFiles = { existingFiles?: ReadonlySet<string> };

const isGone = (file: string, { existingFiles }: ExistingFiles): boolean =>
  existingFiles !== undefined && !existingFiles.has(file);

export const filesIn = (stored: readonly { body: Body }[]): string[] =>
  stored.flatMap(({ body }) => [text(body['file'])].filter((file) => file !== null));

/**
 * The body as the API shows it: a stored file is an absolute link with its expiry; both are null once the file is
 * deleted. The link that its sender gave is its `source`.
 *
 * @param origin prefix of links that do not name their host.
 */
export function bodyForApi(
  accountId: string,
  stored: Body,
  { offerFile, origin, ...files }: { offerFile: OfferFile; origin: string } & ExistingFiles,
): Body {
  const body = withoutProvider(stored);
  const file = text(body['file']);
  if (file === null) return body;
  const shown = Object.fromEntries(
    Object.entries(body).filter(
      ([name]) => name !== 'file' && !(displayFields as readonly string[]).includes(name),
    ),
  );
  if (isRevoked(body)) return shown;
  const offer = isGone(file, files) ? undefined : offerFile(accountId, file);
  const url = offer ? new URL(offer.link, origin).href : null;
  return {
    ...shown,
    ...(text(body['link']) !== null && { source: body['link'] }),
    link: url,
    expires_at: offer?.expiresAt ?? null,
    file: fileForApi(file, body, url),
  };
}

function fileForApi(file: string, { mime, bytes, sha256 }: Body, url: string | null): ApiFile {
  const isMedia = typeof sha256 === 'string';
  return {
    id: isMedia ? publicId('media', file) : null,
    mime_type: text(mime),
    size: typeof bytes === 'number' ? bytes : null,
    sha256: isMedia ? sha256 : null,
    url,
  };
}

/** Fields that only the network uses, or fills in. */
const networkFields: ReadonlySet<string> = new Set([
  'provider_id',
  'parameters',
  'interactive',
  'header_parameter',
  'button_values',
  'reply_places',
]);

function withoutProvider(stored: Body): Body {
  const own = Object.entries(stored).filter(([name]) => !networkFields.has(name));
  const body = withShownPhones(Object.fromEntries(own));
  const { quoted } = body;
  if (typeof quoted !== 'object' || quoted === null) return body;
  const { provider_id: _, ...shown } = quoted as Body;
  return { ...body, quoted: shown };
}

export function withShownPhones(body: Body): Body {
  const shown = (phone: unknown) => (typeof phone === 'string' ? shownPeer(phone) : phone);
  const { phone, phones } = body;
  return {
    ...body,
    ...(phone !== undefined && { phone: shown(phone) }),
    ...(Array.isArray(phones) && { phones: phones.map(shown) }),
  };
}

/**
 * A message for the chat renderer (docs/screens.md#chat): a document is always a file, even if it is a picture.
 * External links are not files here: pages link to them, and never load them.
 */
export function chatContentOf(
  message: { accountId: string; type: MessageType; body: Body } & ExistingFiles,
  fileLink: FileLink,
): ChatContent {
  const { type, body } = message;
  if (isRevoked(body)) return { ...withoutFile, type: 'text', caption: REVOKED, notice: 'revoked' };
  const file = fileOf(message, fileLink);
  const link = file ? file.url : text(body['link']);
  const content = {
    type: renderedAs(type, body),
    caption: text(body['caption']) ?? '',
    url: link,
    external: link !== null && !file,
    filename: text(body['filename']),
    name: null,
    phone: null,
    ...(file && { file: file.shown }),
    ...(text(body['edited_at']) !== null && { notice: 'edited' as const }),
    ...originOf(body),
  };
  switch (type) {
    case 'text':
      return { ...content, caption: textWithChoice(body) };
    case 'template':
      return { ...content, caption: text(body['text']) ?? '', template: templateIn(type, body) };
    case 'reaction':
      return { ...content, caption: text(body['emoji']) ?? '' };
    case 'other':
      return { ...content, caption: text(body['text']) ?? '', notice: 'other' };
    case 'location':
      return placed(content, body);
    case 'contact':
      return { ...content, ...contactIn(body) };
    case 'document':
      return { ...content, filename: content.filename ?? lastSegment(text(body['link'])) };
    case 'image':
    case 'video':
    case 'audio':
    case 'sticker':
      return content;
  }
}

function originOf(body: Body): { origin?: string } {
  const fieldOf = (object: unknown, ...names: readonly string[]) =>
    typeof object === 'object' && object !== null
      ? names.map((name) => oneLine(text((object as Body)[name]) ?? '')).find((line) => line !== '')
      : undefined;
  const advertisement = fieldOf(body['referral'], 'headline', 'body', 'source_url');
  const product = fieldOf(body['product'], 'product_retailer_id');
  const parts = [
    body['frequently_forwarded'] === true
      ? 'Diteruskan berkali-kali'
      : body['forwarded'] === true && 'Diteruskan',
    advertisement && `Dari iklan: ${advertisement}`,
    product && `Tentang produk ${product}`,
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? {} : { origin: parts.join(' · ') };
}

const withoutFile = { url: null, external: false, filename: null, name: null, phone: null };

function fileOf(
  { accountId, body, ...files }: { accountId: string; body: Body } & ExistingFiles,
  fileLink: FileLink,
): { url: string | null; shown: ChatFile } | undefined {
  const file = text(body['file']);
  const missing = text(body['missing']) ?? (file !== null && isGone(file, files) && 'expired');
  if (file === null && !missing) return undefined;
  const why = missing && (missing in fileMissing ? missing : 'refused');
  const preview = text(body['preview']);
  const { waveform, seconds, bytes } = body;
  return {
    url: missing || file === null ? null : fileLink(accountId, file),
    shown: {
      preview: missing || preview === null ? null : fileLink(accountId, preview),
      size: typeof bytes === 'number' ? bytes : null,
      waveform: !missing && Array.isArray(waveform) ? waveform : null,
      seconds: typeof seconds === 'number' ? seconds : null,
      missing: why ? (why as ChatFile['missing']) : null,
    },
  };
}

const imageKinds = new Set(['jpeg', 'jpg', 'png', 'webp']);
const ownKinds = ['ogg', 'mp4', 'vcard', 'text', 'sticker', 'template', 'location'];
const shownOtherwise = new Set([...imageKinds, ...ownKinds]);

function renderedAs(type: MessageType, body: Body): string {
  const kind = kindOf(body);
  switch (type) {
    case 'text':
    case 'reaction':
    case 'other':
      return 'text';
    case 'template':
    case 'sticker':
      return type;
    case 'location':
      return coordinates(body) === null ? 'text' : type;
    case 'contact':
      return 'vcard';
    case 'image':
      return imageKinds.has(kind) ? kind : 'jpeg';
    case 'audio':
      return 'ogg';
    case 'video':
      return 'mp4';
    case 'document':
      return kind === '' || shownOtherwise.has(kind) ? 'file' : kind;
  }
}

/**
 * A file's kind for the renderer: from its MIME type, else from the extension of its name or link.
 */
function kindOf(body: Body): string {
  const mime = text(body['mime'])?.split(';')[0]?.trim().split('/')[1];
  if (mime !== undefined && /^[a-z0-9]{1,8}$/.test(mime)) return mime;
  const name = text(body['filename']) ?? lastSegment(text(body['link'])) ?? '';
  return /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
}

function lastSegment(link: string | null): string | null {
  if (link === null || !URL.canParse(link, 'http://here')) return null;
  const last = new URL(link, 'http://here').pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || null;
  } catch {
    return last || null;
  }
}

function templateIn(type: MessageType, body: Body): FilledTemplate {
  const kind = mediaKindIn(type, body);
  return {
    header: text(body['header']),
    ...(kind && { media: renderedAs(kind, body) }),
    footer: text(body['footer']),
    buttons: Array.isArray(body['buttons']) ? body['buttons'].map(String) : [],
  };
}

const phonesIn = ({ phone, phones }: Body): readonly string[] =>
  (Array.isArray(phones) ? phones : [phone]).flatMap((one) => shownPeer(text(one) ?? '') || []);

type CardContent = Pick<ChatContent, 'name' | 'phone' | 'phones' | 'organization' | 'email'>;

function contactIn(body: Body): CardContent {
  const [organization, email] = [text(body['organization']), text(body['email'])];
  const phones = phonesIn(body);
  return {
    name: text(body['name']),
    phone: phones[0] ?? null,
    ...(phones.length > 1 && { phones: [...phones] }),
    ...(organization !== null && { organization }),
    ...(email !== null && { email }),
  };
}

function placed(content: ChatContent, body: Body): ChatContent {
  const [name, address] = [text(body['name']), text(body['address'])];
  const { latitude, longitude } = body;
  const words = [name, address].filter((line) => line !== null).join('\n');
  return typeof latitude === 'number' && typeof longitude === 'number'
    ? { ...content, place: { latitude, longitude, name, address } }
    : { ...content, caption: words };
}
