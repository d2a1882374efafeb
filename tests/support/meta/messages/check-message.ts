import { GraphError } from '#tests/support/meta/errors.ts';
import {
  type Fields,
  invalid,
  listIn,
  missing,
  objectIn,
  optionalTextIn,
  textIn,
} from './fields.ts';
import { checkInteractive } from './interactive.ts';

const mediaTypes = ['image', 'video', 'audio', 'document', 'sticker'] as const;
type MediaType = (typeof mediaTypes)[number];

const isMediaType = (type: string): type is MediaType =>
  (mediaTypes as readonly string[]).includes(type);

export const mimeTypes: Readonly<Record<MediaType, RegExp>> = {
  image: /^image\/(jpeg|png)$/,
  video: /^video\/(mp4|3gpp)$/,
  audio: /^audio\/(aac|mp4|mpeg|amr|ogg|opus)\b/,
  document:
    /^(text\/plain|application\/(pdf|msword|vnd\.(ms-|openxmlformats-officedocument\.)[\w.-]+))\b/,
  sticker: /^image\/webp$/,
};

/** Maximum file size in bytes, by the type of the upload. */
export const bytesMax: Readonly<Record<MediaType, number>> = {
  image: 5 * 1024 ** 2,
  video: 16 * 1024 ** 2,
  audio: 16 * 1024 ** 2,
  document: 100 * 1024 ** 2,
  sticker: 500 * 1024,
};

/** Checks a file's object. @returns the code of the status that it fails with later. */
export type CheckMedia = (type: MediaType, object: Fields) => number | undefined;

export type Lookups = {
  mimeTypeOf(mediaId: string): string | undefined;
  /**
   * @returns the code that it fails with later.
   * @throws GraphError for a template that cannot be sent like this.
   */
  checkTemplate(template: Fields, checkMedia: CheckMedia): number | undefined;
};

/**
 * Checks a medium's object.
 * @returns the code of the status that it fails with after it was accepted: 131053 for a file of another type, and
 * for a link that cannot be fetched (a host under `.invalid`; nothing is fetched here).
 */
function checkMedia(type: MediaType, object: Fields, { mimeTypeOf }: Lookups): number | undefined {
  if (type === 'audio' || type === 'sticker') {
    if (object['caption'] !== undefined) {
      throw new GraphError(100, { message: `Unexpected key "caption" on param "${type}".` });
    }
  } else optionalTextIn(object, 'caption', 1024);
  const { id, link } = object;
  if (typeof id === 'string' && id !== '') {
    const mimeType = mimeTypeOf(id);
    if (mimeType === undefined) {
      throw new GraphError(100, {
        details: `Param ${type}['id'] is not a valid whatsapp business account media attachment ID`,
      });
    }
    return mimeTypes[type].test(mimeType) ? undefined : 131_053;
  }
  if (typeof link !== 'string') throw missing(`Either id or link is required in ${type}.`);
  const url = URL.parse(link);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new GraphError(100, { details: `Param ${type}['link'] is not a valid URL.` });
  }
  return url.hostname.endsWith('.invalid') ? 131_053 : undefined;
}

function checkContacts(body: Fields): void {
  const contacts = listIn(body, 'contacts');
  if (contacts.length === 0) throw missing('The parameter contacts is required.');
  for (const contact of contacts) {
    const name = objectIn(contact, 'name');
    textIn(name, 'formatted_name', 1024);
    const others = ['first_name', 'last_name', 'middle_name', 'prefix', 'suffix'];
    if (!others.some((part) => name[part])) {
      throw missing('At least one other part of the name is required beside formatted_name.');
    }
  }
}

function checkLocation(location: Fields): void {
  for (const [name, max] of Object.entries({ latitude: 90, longitude: 180 })) {
    const value = location[name];
    if (value === undefined || value === '') throw missing(`The parameter ${name} is required.`);
    if (!(Math.abs(Number(value)) <= max)) throw invalid(`Param ${name} is not valid.`);
  }
}

/**
 * A message's recipient: the digits, the id of a group, or the user id (BSUID).
 * @throws GraphError 100 if there is none, 131009 if it cannot be a number.
 */
export function recipientOf(body: Fields): string {
  const to = body['to'] ?? body['recipient'];
  if (to === undefined || to === '') {
    throw new GraphError(100, { message: 'The parameter to is required.' });
  }
  if (typeof to !== 'string' && typeof to !== 'number') throw invalid('Param to must be a string.');
  if (body['recipient_type'] === 'group' || body['to'] === undefined) return String(to);
  const digits = String(to).replaceAll(/[\s()+.-]/g, '');
  if (!/^\d{5,20}$/.test(digits)) throw invalid('Param to is not a valid phone number.');
  return digits;
}

const types = [
  'text',
  'interactive',
  'template',
  'location',
  'contacts',
  'reaction',
  ...mediaTypes,
];

/**
 * Checks a message as Meta does before it accepts it.
 * @returns its type, and the code that it fails with later although it was accepted.
 * @throws GraphError for an invalid message.
 */
export function checkMessage(
  body: Fields,
  lookups: Lookups,
): { type: string; failure: number | undefined } {
  const type = body['type'] ?? 'text';
  if (typeof type !== 'string' || !types.includes(type)) {
    const named = types.map((one) => one.toUpperCase()).join(', ');
    throw new GraphError(100, {
      message: `Param type must be one of {${named}} - got ${JSON.stringify(type)}.`,
    });
  }
  optionalTextIn(body, 'biz_opaque_callback_data', 512);
  if (body['context'] !== undefined) textIn(objectIn(body, 'context'), 'message_id', 1024);
  if (type === 'contacts') checkContacts(body);
  const object = type === 'contacts' ? {} : objectIn(body, type);
  if (isMediaType(type)) return { type, failure: checkMedia(type, object, lookups) };
  if (type === 'text') textIn(object, 'body', 4096);
  if (type === 'location') checkLocation(object);
  if (type === 'interactive') checkInteractive(object);
  if (type === 'template') {
    const failure = lookups.checkTemplate(object, (kind, file) => checkMedia(kind, file, lookups));
    return { type, failure };
  }
  if (type === 'reaction') {
    textIn(object, 'message_id', 1024);
    if (typeof object['emoji'] !== 'string') throw missing('The parameter emoji is required.');
  }
  return { type, failure: undefined };
}
