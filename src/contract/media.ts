import { type FileMime, bytesMaxFor, fileKinds, mimesFor } from '#contract/uploads.ts';

/** Types of messages that carry a file. */
export const mediaKinds = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaKind = (typeof mediaKinds)[number];

const STICKER_BYTES_MAX = 500_000;

/** The types of files that a type of message may carry. */
export const mimesOfKind: Readonly<Record<MediaKind, readonly FileMime[]>> = {
  image: ['image/jpeg', 'image/png', 'image/webp'],
  video: ['video/mp4', 'video/3gpp'],
  audio: ['audio/ogg', 'audio/mp4', 'audio/mpeg', 'audio/aac', 'audio/amr', 'audio/webm'],
  document: mimesFor('media'),
  sticker: ['image/webp'],
};

/** Bytes of a type of message at most; also what is read of a link. */
export const bytesMaxOfKind = (kind: MediaKind): number =>
  kind === 'sticker'
    ? STICKER_BYTES_MAX
    : Math.max(...mimesOfKind[kind].map((mime) => bytesMaxFor('media', mime)));

export const isMediaKind = (type: string): type is MediaKind =>
  (mediaKinds as readonly string[]).includes(type);

/** Whether a type of message may carry a file of this type. */
export const fitsKind = (kind: MediaKind, mime: string): boolean =>
  (mimesOfKind[kind] as readonly string[]).includes(mime);

/** The endings of files that a type of message may carry, for people: `JPG, PNG, WEBP`. */
export const endingsOfKind = (kind: MediaKind): string =>
  mimesOfKind[kind].map((mime) => fileKinds[mime].extensions[0].toUpperCase()).join(', ');
