import { createHash } from 'node:crypto';
import { type Answer, GraphError, unknownObject } from './errors.ts';
import { bytesMax, mimeTypes } from './messages/check-message.ts';
import type { MetaState } from './state.ts';

export type MediaFile = { bytes: Uint8Array; mimeType: string };

type StoredMedia = MediaFile & { id: string; sha256: string; phoneNumberId: string };

export type MediaStore = {
  /** @returns its id, and its webhook fields. */
  add(file: MediaFile, phoneNumberId: string): { id: string; mime_type: string; sha256: string };
  get(id: string): StoredMedia | undefined;
  remove(id: string): boolean;
  /** @returns the file's path for the next five minutes. */
  openPath(id: string): string;
  /** The file of a path; `undefined` if the path is unknown or older than five minutes. */
  atPath(path: string): StoredMedia | undefined;
};

export const MEDIA_PATH = '/whatsapp_business/attachments/';
const PATH_MS = 5 * 60_000;

export function openMedia(state: MetaState): MediaStore {
  const files = new Map<string, StoredMedia>();
  const paths = new Map<string, { id: string; until: number }>();
  return {
    add: ({ bytes, mimeType }, phoneNumberId) => {
      const id = state.digits(16);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      files.set(id, { id, bytes, mimeType, sha256, phoneNumberId });
      return { id, mime_type: mimeType, sha256 };
    },
    get: (id) => files.get(id),
    remove: (id) => files.delete(id),
    openPath: (id) => {
      const path = `${MEDIA_PATH}${state.digits(24)}`;
      paths.set(path, { id, until: state.now().getTime() + PATH_MS });
      return path;
    },
    atPath: (path) => {
      const known = paths.get(path);
      return known && known.until > state.now().getTime() ? files.get(known.id) : undefined;
    },
  };
}

/**
 * POST /{pnid}/media: a form of `file`, `type` and `messaging_product`, in any order.
 * @param product the `messaging_product` of the query, where some clients put it.
 */
export async function uploadMedia(
  store: MediaStore,
  phoneNumberId: string,
  { bytes, contentType, product }: { bytes: Buffer; contentType: string; product: unknown },
): Promise<Answer> {
  const headers = { 'content-type': contentType };
  const form = await new Response(new Uint8Array(bytes), { headers })
    .formData()
    .catch(() => undefined);
  if (!form || (product ?? form.get('messaging_product')) !== 'whatsapp') {
    throw new GraphError(100, { message: 'The parameter messaging_product is required.' });
  }
  const file = form.get('file');
  if (!(file instanceof Blob)) {
    throw new GraphError(100, { message: 'The parameter file is required.' });
  }
  const given = form.get('type');
  const mimeType = typeof given === 'string' && given.includes('/') ? given : file.type;
  const type = Object.entries(mimeTypes).find(([, allowed]) => allowed.test(mimeType))?.[0];
  if (type === undefined) {
    throw new GraphError(100, {
      message: `Param file must be a file with one of the supported types, received "${mimeType}".`,
    });
  }
  if (file.size > bytesMax[type as keyof typeof bytesMax]) {
    throw new GraphError(131_053, { details: `Param file is larger than a ${type} may be.` });
  }
  const { id } = store.add({ bytes: await file.bytes(), mimeType }, phoneNumberId);
  return { status: 200, body: { id } };
}

/** GET /{media-id}: the file's address, for five minutes. */
export function mediaFacts(
  store: MediaStore,
  media: StoredMedia,
  { query, origin }: { query: URLSearchParams; origin: string },
): Answer {
  const { id, mimeType, sha256, bytes, phoneNumberId } = media;
  if ((query.get('phone_number_id') ?? phoneNumberId) !== phoneNumberId) {
    throw unknownObject(id, 'get');
  }
  const body = {
    url: `${origin}${store.openPath(id)}`,
    mime_type: mimeType,
    sha256,
    file_size: bytes.length,
    id,
    messaging_product: 'whatsapp',
  };
  return { status: 200, body };
}
