import * as z from 'zod/mini';
import { type Output, schema } from '#contract/base/schema.ts';

/** Why the file of a message is missing: expired, or never stored (no space, or not safe). */
export const fileMissing = {
  expired: 'Berkas sudah dihapus',
  fetching: 'Berkas sedang diambil dari WhatsApp',
  storage_full: 'Berkas tidak disimpan: ruang berkas penuh',
  refused: 'Berkas tidak disimpan: tidak aman atau tidak didukung',
} as const;
export type FileMissing = keyof typeof fileMissing;

export const ChatFile = schema(() =>
  z.object({
    preview: z.nullable(z.string()),
    size: z.nullable(z.int()),
    /** Of audio: the loudness in parts of equal length, 0 to 100. */
    waveform: z.nullable(z.array(z.int())),
    /** The duration of audio. */
    seconds: z.nullable(z.number()),
    missing: z.nullable(z.enum(Object.keys(fileMissing) as [FileMissing, ...FileMissing[]])),
  }),
);
export type ChatFile = Output<typeof ChatFile>;

export const Place = schema(() =>
  z.object({
    latitude: z.number(),
    longitude: z.number(),
    name: z.nullable(z.string()),
    address: z.nullable(z.string()),
  }),
);
export type Place = Output<typeof Place>;

export const FilledTemplate = schema(() =>
  z.object({
    header: z.nullable(z.string()),
    media: z.optional(z.string()),
    footer: z.nullable(z.string()),
    buttons: z.array(z.string()),
  }),
);
export type FilledTemplate = Output<typeof FilledTemplate>;

export const ChatContent = schema(() =>
  z.object({
    type: z.string(),
    caption: z.string(),
    url: z.nullable(z.string()),
    /** `url` is on a foreign host: only a user opens it, a page never loads it. */
    external: z.boolean(),
    filename: z.nullable(z.string()),
    name: z.nullable(z.string()),
    phone: z.nullable(z.string()),
    organization: z.optional(z.string()),
    /** All phones of a contact that has several; the first one is `phone`. */
    phones: z.optional(z.array(z.string())),
    email: z.optional(z.string()),
    file: z.optional(ChatFile()),
    place: z.optional(Place()),
    template: z.optional(FilledTemplate()),
    origin: z.optional(z.string()),
    /** `other`: the caption describes the message. `edited`, `revoked`: its sender changed or deleted it. */
    notice: z.optional(z.enum(['other', 'edited', 'revoked'])),
  }),
);
export type ChatContent = Output<typeof ChatContent>;
