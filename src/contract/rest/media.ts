import * as z from 'zod/mini';
import { Id } from '#contract/base/ids.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { endpoint } from './endpoint.ts';

/** A file of the account, ready to be sent in messages. */
export const ApiMedia = schema(() =>
  z.object({
    id: Id('media'),
    name: z.string(),
    /** As its bytes say. */
    mime_type: z.string(),
    /** Bytes, as they are kept: a picture is drawn anew. */
    size: z.int(),
    /** Of those bytes, in hexadecimal. */
    sha256: z.string(),
    /** Pixels of a picture, upright. */
    width: z.nullable(z.int()),
    height: z.nullable(z.int()),
    /** Seconds of a sound. */
    duration: z.nullable(z.number()),
    created_at: z.coerce.date(),
    /** When it goes, unless a message uses it before: each use puts it off. */
    expires_at: z.coerce.date(),
    /** Where its bytes are read without a key, until `url_expires_at`. */
    url: z.string(),
    url_expires_at: z.coerce.date(),
  }),
);
export type ApiMedia = Output<typeof ApiMedia>;

/** Files of the account: all of its tokens send them. */
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
