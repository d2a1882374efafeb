import { type FileMime, bytesMaxFor, fileKinds, mimesFor } from '#contract/uploads.ts';
import * as z from 'zod/mini';
import { Id } from '#contract/base/ids.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { endpoint } from './rest/endpoint.ts';

export const mediaKinds = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaKind = (typeof mediaKinds)[number];

const STICKER_BYTES_MAX = 500_000;

export const mimesOfKind: Readonly<Record<MediaKind, readonly FileMime[]>> = {
  image: ['image/jpeg', 'image/png', 'image/webp'],
  video: ['video/mp4', 'video/3gpp'],
  audio: ['audio/ogg', 'audio/mp4', 'audio/mpeg', 'audio/aac', 'audio/amr', 'audio/webm'],
  document: mimesFor('media'),
  sticker: ['image/webp'],
};

/** The largest file of a type of message, in bytes; also the limit when reading a link. */
export const bytesMaxOfKind = (kind: MediaKind): number =>
  kind === 'sticker'
    ? STICKER_BYTES_MAX
    : Math.max(...mimesOfKind[kind].map((mime) => bytesMaxFor('media', mime)));

export const isMediaKind = (type: string): type is MediaKind =>
  (mediaKinds as readonly string[]).includes(type);

/** Whether a type of message may carry a file of this MIME type. */
export const fitsKind = (kind: MediaKind, mime: string): boolean =>
  (mimesOfKind[kind] as readonly string[]).includes(mime);

/** The file extensions of a type of message, as shown to users: `JPG, PNG, WEBP`. */
export const endingsOfKind = (kind: MediaKind): string =>
  mimesOfKind[kind].map((mime) => fileKinds[mime].extensions[0].toUpperCase()).join(', ');

export const ApiMedia = schema(() =>
  z.object({
    id: Id('media'),
    name: z.string(),
    /** Determined from its bytes. */
    mime_type: z.string(),
    /** Bytes as stored: pictures are re-encoded. */
    size: z.int(),
    /** In hexadecimal. */
    sha256: z.string(),
    /** Pixels of a picture, upright. */
    width: z.nullable(z.int()),
    height: z.nullable(z.int()),
    /** In seconds. */
    duration: z.nullable(z.number()),
    created_at: z.coerce.date(),
    /** When it is deleted; each use in a message extends it. */
    expires_at: z.coerce.date(),
    /** A download address that needs no key, valid until `url_expires_at`. */
    url: z.string(),
    url_expires_at: z.coerce.date(),
  }),
);
export type ApiMedia = Output<typeof ApiMedia>;

export const mediaEndpoints = {
  addMedia: endpoint({
    method: 'POST',
    path: '/v1/media',
    scope: 'media',
    status: 201,
    summary: { id: 'Unggah berkas', en: 'Upload a file' },
    takesFile: true,
    answer: ApiMedia,
    refuses: [
      'media_type_unsupported',
      'input_invalid',
      'idempotency_conflict',
      'request_in_flight',
      'upload_empty',
      'upload_too_large',
      'upload_kind_refused',
      'upload_contradicts',
      'upload_unsafe',
      'upload_infected',
      'upload_unscanned',
      'upload_too_slow',
      'storage_full',
    ],
  }),
  getMedia: endpoint({
    method: 'GET',
    path: '/v1/media/:id',
    scope: 'media',
    status: 200,
    summary: { id: 'Satu berkas', en: 'One file' },
    answer: ApiMedia,
    refuses: ['not_found'],
  }),
  removeMedia: endpoint({
    method: 'DELETE',
    path: '/v1/media/:id',
    scope: 'media',
    status: 204,
    summary: { id: 'Hapus berkas', en: 'Delete a file' },
    refuses: ['not_found'],
  }),
} as const;
