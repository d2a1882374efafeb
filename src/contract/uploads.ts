/**
 * Uploads, as both sides see them: FilePond's verbs at one address (docs/wire.md#uploads).
 *
 * `POST` multipart: the field `filepond` with the metadata as JSON, then `filepond` with the file → 200 and
 * the upload's id as text. With the metadata and the header `Upload-Length` only → 200 and the id of an
 * upload in pieces. `PATCH ?patch=id` brings a piece → 204 with `Upload-Offset`; `HEAD ?patch=id` says how far
 * it is; `DELETE` with the id as text takes it back; `GET ?restore=id` and `?load=id` give the file.
 * Every verb carries `Authorization: Bearer` and the session's token. A "no" is the portal's envelope.
 *
 * Nothing here knows zod: the kit reads these tables before anything is sent.
 */
export const UPLOAD_PATH = '/api/uploads';
/** The name of both form fields: the metadata first, the file second. */
export const UPLOAD_FIELD = 'filepond';
/** A file of more bytes than this goes in pieces of this many. */
export const CHUNK_BYTES = 5_000_000;
/** The longest piece the server takes. */
export const CHUNK_BYTES_MAX = 10_000_000;
/** The type of a piece. */
export const CHUNK_TYPE = 'application/offset+octet-stream';
/** An upload nobody used is forgotten after so many hours. */
export const UPLOAD_HOURS = 24;
/** Graphemes of a file's name at most; the middle of a longer one goes, its ending stays. */
export const FILE_NAME_MAX = 200;

export const uploadHeaders = {
  /** Bytes of the whole file. */
  length: 'Upload-Length',
  /** Bytes before this piece; in answers, bytes received. */
  offset: 'Upload-Offset',
  /** The file's name in UTF-8, percent-encoded (`encodeURIComponent`). */
  name: 'Upload-Name',
  /** In answers to GET: the upload's id. */
  transferId: 'X-Content-Transfer-Id',
} as const;

export type FileMime =
  | 'image/jpeg'
  | 'image/png'
  | 'image/webp'
  | 'audio/ogg'
  | 'audio/mp4'
  | 'audio/webm'
  | 'audio/mpeg'
  | 'audio/aac'
  | 'audio/amr'
  | 'video/mp4'
  | 'video/3gpp'
  | 'application/pdf'
  | 'application/msword'
  | 'application/vnd.ms-excel'
  | 'application/vnd.ms-powerpoint'
  | 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  | 'application/vnd.openxmlformats-officedocument.presentationml.presentation'
  | 'application/zip'
  | 'text/csv'
  | 'text/plain';

type FileKind = {
  /** Endings of its names, lower case; the first is the usual one. */
  extensions: readonly [string, ...string[]];
  /** Other types that browsers and systems declare it as. */
  alsoDeclared?: readonly string[];
};

/** Every kind of file that some purpose takes. */
export const fileKinds: Readonly<Record<FileMime, FileKind>> = {
  'image/jpeg': {
    extensions: ['jpg', 'jpeg', 'jfif'],
    alsoDeclared: ['image/jpg', 'image/pjpeg'],
  },
  'image/png': { extensions: ['png'], alsoDeclared: ['image/x-png'] },
  'image/webp': { extensions: ['webp'] },
  'audio/ogg': {
    extensions: ['ogg', 'oga', 'opus'],
    alsoDeclared: ['application/ogg', 'audio/opus', 'audio/vorbis', 'video/ogg'],
  },
  'audio/mp4': { extensions: ['m4a'], alsoDeclared: ['audio/x-m4a', 'audio/m4a', 'video/mp4'] },
  // What browsers record; film in it is refused.
  'audio/webm': { extensions: ['weba', 'webm'], alsoDeclared: ['video/webm'] },
  'audio/mpeg': { extensions: ['mp3'], alsoDeclared: ['audio/mp3', 'audio/x-mpeg'] },
  'audio/aac': { extensions: ['aac'], alsoDeclared: ['audio/x-aac', 'audio/aacp'] },
  'audio/amr': { extensions: ['amr'] },
  'video/3gpp': { extensions: ['3gp'], alsoDeclared: ['audio/3gpp'] },
  'video/mp4': { extensions: ['mp4', 'm4v'], alsoDeclared: ['video/x-m4v', 'audio/mp4'] },
  'application/pdf': { extensions: ['pdf'], alsoDeclared: ['application/x-pdf'] },
  'application/msword': { extensions: ['doc'] },
  'application/vnd.ms-excel': { extensions: ['xls'] },
  'application/vnd.ms-powerpoint': { extensions: ['ppt'] },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': {
    extensions: ['docx'],
  },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': { extensions: ['xlsx'] },
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': {
    extensions: ['pptx'],
  },
  'application/zip': {
    extensions: ['zip'],
    alsoDeclared: ['application/x-zip-compressed', 'application/x-zip'],
  },
  'text/csv': {
    extensions: ['csv'],
    // Windows calls it by the program that opens it.
    alsoDeclared: ['application/csv', 'application/vnd.ms-excel', 'text/plain'],
  },
  'text/plain': { extensions: ['txt'] },
};

const MB = 1_000_000;
const documents = [
  'application/pdf',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/zip',
  'text/csv',
  'text/plain',
] as const;
const pictures = ['image/jpeg', 'image/png', 'image/webp'] as const;

type Allowance = { mimes: readonly FileMime[]; bytesMax: number };

/** What an upload is for: its kinds of files, and the bytes of each at most. */
export const uploadPurposes = {
  /** Becomes a square WebP of 512 pixels; `crop` in the metadata says which part. */
  avatar: [{ mimes: pictures, bytesMax: 5 * MB }],
  /** Sent to a phone or to customer service. */
  chat: [
    { mimes: pictures, bytesMax: 5 * MB },
    { mimes: ['audio/ogg', 'audio/mp4', 'audio/webm', 'video/mp4'], bytesMax: 16 * MB },
    { mimes: documents, bytesMax: 100 * MB },
  ],
  /** A message's, by the API or a link (contract/media.ts says which for which type). */
  media: [
    { mimes: pictures, bytesMax: 5 * MB },
    {
      mimes: [
        'audio/ogg',
        'audio/mp4',
        'audio/mpeg',
        'audio/aac',
        'audio/amr',
        'audio/webm',
        'video/mp4',
        'video/3gpp',
      ],
      bytesMax: 16 * MB,
    },
    { mimes: documents, bytesMax: 100 * MB },
  ],
  /** The proof of a transfer. */
  proof: [{ mimes: [...pictures, 'application/pdf'], bytesMax: 5 * MB }],
  /** A list of recipients, for a campaign. */
  recipients: [
    {
      mimes: [
        'text/csv',
        'text/plain',
        'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      ],
      bytesMax: 10 * MB,
    },
  ],
  /** A bank's statement, for an operator to import. */
  statement: [{ mimes: ['text/csv', 'text/plain'], bytesMax: 5 * MB }],
} as const satisfies Record<string, readonly Allowance[]>;

export type UploadPurpose = keyof typeof uploadPurposes;

/** The metadata of a POST, as JSON. */
export type UploadMetadata = {
  /** `chat` when it is not named. */
  purpose?: UploadPurpose;
  /** What the browser calls the file's type; in pieces there is no other place for it. */
  type?: string;
  /**
   * The part of a picture that an avatar shows: fractions from 0 to 1 of the upright picture's width and
   * height. Without it, the largest square in the middle.
   */
  crop?: { x: number; y: number; width: number; height: number };
};

const allowancesOf = (purpose: UploadPurpose): readonly Allowance[] => uploadPurposes[purpose];

/** The types a purpose takes, as an input's `accept` lists them. */
export const mimesFor = (purpose: UploadPurpose): readonly FileMime[] =>
  allowancesOf(purpose).flatMap(({ mimes }) => mimes);

/** Bytes a purpose takes at most: of one type, or of its largest one; 0 for a type it does not take. */
export const bytesMaxFor = (purpose: UploadPurpose, mime?: FileMime): number =>
  allowancesOf(purpose)
    .filter(({ mimes }) => mime === undefined || mimes.includes(mime))
    .reduce((most, { bytesMax }) => Math.max(most, bytesMax), 0);

/** The type that a name's last ending stands for; `undefined` when no purpose takes such files. */
export function mimeOfName(name: string): FileMime | undefined {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const found = Object.entries(fileKinds).find(([, { extensions }]) => extensions.includes(ending));
  return found && (found[0] as FileMime);
}

/** The endings a purpose takes, for people: `JPG, PNG, WEBP`. */
export const endingsFor = (purpose: UploadPurpose): string =>
  mimesFor(purpose)
    .map((mime) => fileKinds[mime].extensions[0].toUpperCase())
    .join(', ');
