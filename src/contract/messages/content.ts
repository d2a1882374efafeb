import * as z from 'zod/mini';
import { type Output, schema } from '#contract/base/schema.ts';

/** Why a file of a message is not there: kept no longer, or never kept: no room, or not safe. */
export const fileMissing = {
  expired: 'Berkas sudah dihapus',
  fetching: 'Berkas sedang diambil dari WhatsApp',
  storage_full: 'Berkas tidak disimpan: ruang berkas penuh',
  refused: 'Berkas tidak disimpan: tidak aman atau tidak didukung',
} as const;
export type FileMissing = keyof typeof fileMissing;

/** What is known of a message's file before it is opened. */
export const ChatFile = schema(() =>
  z.object({
    /** The address of a small picture of it. */
    preview: z.nullable(z.string()),
    /** In bytes. */
    size: z.nullable(z.int()),
    /** Of a sound: how loud it is in parts of equal length, 0 to 100. */
    waveform: z.nullable(z.array(z.int())),
    /** Of a sound: how long it is. */
    seconds: z.nullable(z.number()),
    missing: z.nullable(z.enum(Object.keys(fileMissing) as [FileMissing, ...FileMissing[]])),
  }),
);
export type ChatFile = Output<typeof ChatFile>;

/** A place on the map. */
export const Place = schema(() =>
  z.object({
    latitude: z.number(),
    longitude: z.number(),
    name: z.nullable(z.string()),
    address: z.nullable(z.string()),
  }),
);
export type Place = Output<typeof Place>;

/** A template as its receiver reads it: its body is the caption. */
export const FilledTemplate = schema(() =>
  z.object({
    header: z.nullable(z.string()),
    /** The type of the file above its text, as of a message that is one; left out where there is none. */
    media: z.optional(z.string()),
    footer: z.nullable(z.string()),
    buttons: z.array(z.string()),
  }),
);
export type FilledTemplate = Output<typeof FilledTemplate>;

/** What a chat bubble shows (docs/screens.md#chat). */
export const ChatContent = schema(() =>
  z.object({
    type: z.string(),
    caption: z.string(),
    url: z.nullable(z.string()),
    /** `url` is somebody else's: to be opened by who wants to, never loaded by a page. */
    external: z.boolean(),
    filename: z.nullable(z.string()),
    name: z.nullable(z.string()),
    phone: z.nullable(z.string()),
    /** Of a contact: where they work; left out where nobody says so. */
    organization: z.optional(z.string()),
    /** Of a contact with several phones: all of them, the first of which is `phone`. */
    phones: z.optional(z.array(z.string())),
    email: z.optional(z.string()),
    file: z.optional(ChatFile()),
    place: z.optional(Place()),
    template: z.optional(FilledTemplate()),
    /** Its origin in words: forwarded, from an advertisement, about a product. */
    origin: z.optional(z.string()),
    /** `other`: the caption describes the message. `edited`, `revoked`: its sender changed or deleted it. */
    notice: z.optional(z.enum(['other', 'edited', 'revoked'])),
  }),
);
export type ChatContent = Output<typeof ChatContent>;
