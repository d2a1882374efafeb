/**
 * Uploads: FilePond's verbs at one address (docs/wire.md#uploads).
 *
 * `POST` multipart: the field `filepond` with the metadata as JSON, then `filepond` with the file → 200 and the
 * upload's id as text. With the metadata and the header `Upload-Length` only → 200 and the id of an upload in pieces.
 * `PATCH ?patch=id` sends a piece → 204 with `Upload-Offset`; `HEAD ?patch=id` returns the offset; `DELETE` with the id
 * as text deletes it; `GET ?restore=id` and `?load=id` return the file. Every verb needs `Authorization: Bearer` and
 * the session's token. Errors are in the portal's envelope.
 *
 * Does not import zod, because the web app loads these tables before the first request.
 */
export const UPLOAD_PATH = '/api/uploads';
export const UPLOAD_FIELD = 'filepond';
/** Larger files are sent in pieces of this size. */
export const CHUNK_BYTES = 5_000_000;
export const CHUNK_BYTES_MAX = 10_000_000;
export const CHUNK_TYPE = 'application/offset+octet-stream';
/** Unused uploads are deleted after this many hours. */
export const UPLOAD_HOURS = 24;
/** Graphemes of a file name at most; longer ones are shortened in the middle, before the extension. */
export const FILE_NAME_MAX = 200;

export const uploadHeaders = {
  length: 'Upload-Length',
  /** Bytes before this piece; in responses, bytes received. */
  offset: 'Upload-Offset',
  /** The file's name in UTF-8, percent-encoded (`encodeURIComponent`). */
  name: 'Upload-Name',
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
  /** Extensions in lower case; the first is the usual one. */
  extensions: readonly [string, ...string[]];
  alsoDeclared?: readonly string[];
};

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
  // Recordings of browsers; video in it is refused.
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
    // Windows declares it by the program that opens it.
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

export const uploadPurposes = {
  /** Becomes a square WebP of 512 pixels; `crop` in the metadata selects the part. */
  avatar: [{ mimes: pictures, bytesMax: 5 * MB }],
  chat: [
    { mimes: pictures, bytesMax: 5 * MB },
    { mimes: ['audio/ogg', 'audio/mp4', 'audio/webm', 'video/mp4'], bytesMax: 16 * MB },
    { mimes: documents, bytesMax: 100 * MB },
  ],
  /** For a message, by the API or a link (contract/media.ts lists the types per type of message). */
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
  proof: [{ mimes: [...pictures, 'application/pdf'], bytesMax: 5 * MB }],
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
  statement: [{ mimes: ['text/csv', 'text/plain'], bytesMax: 5 * MB }],
} as const satisfies Record<string, readonly Allowance[]>;

export type UploadPurpose = keyof typeof uploadPurposes;

export type UploadMetadata = {
  /** Defaults to `chat`. */
  purpose?: UploadPurpose;
  type?: string;
  /**
   * The visible part of an avatar: fractions from 0 to 1 of the upright picture's width and height. Default: the
   * largest square in the middle.
   */
  crop?: { x: number; y: number; width: number; height: number };
};

const allowancesOf = (purpose: UploadPurpose): readonly Allowance[] => uploadPurposes[purpose];

export const mimesFor = (purpose: UploadPurpose): readonly FileMime[] =>
  allowancesOf(purpose).flatMap(({ mimes }) => mimes);

/** The largest size of a type, or of any type of the purpose; 0 for a type it does not accept. */
export const bytesMaxFor = (purpose: UploadPurpose, mime?: FileMime): number =>
  allowancesOf(purpose)
    .filter(({ mimes }) => mime === undefined || mimes.includes(mime))
    .reduce((most, { bytesMax }) => Math.max(most, bytesMax), 0);

/** The type for a file name's extension; `undefined` if no purpose accepts it. */
export function mimeOfName(name: string): FileMime | undefined {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const found = Object.entries(fileKinds).find(([, { extensions }]) => extensions.includes(ending));
  return found && (found[0] as FileMime);
}

export const endingsFor = (purpose: UploadPurpose): string =>
  mimesFor(purpose)
    .map((mime) => fileKinds[mime].extensions[0].toUpperCase())
    .join(', ');
