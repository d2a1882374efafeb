import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { Refusal } from '#contract/base/refusals.ts';
import {
  UPLOAD_FIELD,
  type UploadMetadata,
  type UploadPurpose,
  bytesMaxFor,
  uploadHeaders,
  uploadPurposes,
} from '#contract/uploads.ts';
import { declaredType } from '#server/http/body.ts';
import { readInput } from '#server/http/input.ts';

const purposes = Object.keys(uploadPurposes) as [UploadPurpose, ...UploadPurpose[]];
/** Bytes of the largest file that any purpose takes. */
export const LARGEST = Math.max(...purposes.map((purpose) => bytesMaxFor(purpose)));

const METADATA_BYTES_MAX = 4_096;
const NAME_LENGTH_MAX = 4_096;

const fraction = z.number().check(z.minimum(0), z.maximum(1));
const positive = z.number().check(z.gt(0), z.maximum(1));

/** What else a client writes here is its own business. */
const Metadata = z.object({
  purpose: z.optional(z.enum(purposes)),
  type: z.optional(z.string().check(z.maxLength(200))),
  crop: z.optional(z.object({ x: fraction, y: fraction, width: positive, height: positive })),
});

function malformed(why: string): never {
  throw new Refusal('request_malformed', { why });
}

function metadataOf(json: string): UploadMetadata {
  if (json.length > METADATA_BYTES_MAX) malformed('metadata terlalu panjang');
  let given: unknown;
  try {
    given = JSON.parse(json === '' ? '{}' : json);
  } catch {
    malformed('metadata bukan JSON');
  }
  const { purpose, type, crop } = readInput(Metadata, given);
  return { ...(purpose && { purpose }), ...(type && { type }), ...(crop && { crop }) };
}

/** A form as FilePond sends it. */
export type UploadForm = {
  purpose: UploadPurpose;
  declared: string;
  crop: UploadMetadata['crop'];
  /** Not there when the file is to come in pieces. Its bytes have not been read yet. */
  file: MultipartFile | undefined;
};

/**
 * What multipart may bring here (docs/threats.md, T41). The file is cut, without a word, at this many bytes:
 * more than any purpose takes, so that its own limit is the one that speaks.
 */
const PARTS = {
  fileSize: LARGEST + 1,
  fields: 5,
  fieldSize: 65_536,
  fieldNameSize: 100,
  files: 1,
  parts: 6,
  headerPairs: 50,
} as const;

/**
 * Reads a form up to its file: the metadata first, as FilePond sends it.
 *
 * @throws Refusal `request_malformed`, `media_type_unsupported`
 */
export async function formOf(request: FastifyRequest): Promise<UploadForm> {
  if (!request.isMultipart()) throw new Refusal('media_type_unsupported', {});
  let metadata: UploadMetadata = {};
  try {
    for await (const part of request.parts({ limits: PARTS })) {
      if (part.fieldname !== UPLOAD_FIELD) malformed(`isian ${UPLOAD_FIELD} saja yang dikenal`);
      if (part.mimetype.startsWith('multipart/')) {
        malformed('multipart di dalam multipart tidak diterima');
      }
      if (part.type === 'file') return formWith(metadata, part);
      if (part.valueTruncated) malformed('metadata terlalu panjang');
      metadata = metadataOf(String(part.value));
    }
  } catch (error) {
    throw asBroken(error);
  }
  return formWith(metadata, undefined);
}

/** A form of another kind, of one file with texts before and behind it. */
export type FileForm = {
  filename: string;
  /** As the sender declares it; empty where nothing is said. */
  mimetype: string;
  /** The file's bytes as they come. With the last of them the rest of the form has been read. */
  bytes: AsyncGenerator<Buffer, void>;
  /** What a field says; of one behind the file, once the bytes have come. */
  text: (name: string) => string | undefined;
};

type FileFormOptions = {
  /** Looks at the name of a part, and refuses it by throwing a Refusal. */
  checkName?: (name: string, isFile: boolean) => void;
  /** Why a form is none, in the caller's language. */
  why: { broken: string; manyFiles: string };
};

/**
 * Reads a form up to its file; its parts may come in any order.
 *
 * @throws Refusal `media_type_unsupported`, `upload_empty` where there is no file, and what `checkName` throws;
 *   `request_malformed` when the form breaks off, also while its bytes are read
 */
export async function fileFormOf(
  request: FastifyRequest,
  { checkName, why }: FileFormOptions,
): Promise<FileForm> {
  if (!request.isMultipart()) throw new Refusal('media_type_unsupported', {});
  const parts = request.parts({ limits: PARTS });
  const texts = new Map<string, string>();
  /** The next file of the form, after the texts before it. */
  const nextFile = async (): Promise<MultipartFile | undefined> => {
    for (;;) {
      const { value: part, done } = await parts.next();
      if (done || !part) return undefined;
      checkName?.(part.fieldname, part.type === 'file');
      if (part.type === 'file') return part;
      texts.set(part.fieldname, String(part.value).slice(0, NAME_LENGTH_MAX));
    }
  };
  const broken = (error: unknown) => brokenForm(error, why);
  const file = await nextFile().catch((error: unknown) => {
    throw broken(error);
  });
  if (!file) throw new Refusal('upload_empty', {});
  return {
    filename: file.filename,
    mimetype: declaredType(file.mimetype),
    text: (name) => texts.get(name),
    bytes: (async function* bytesThenRest() {
      try {
        yield* file.file.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
        await nextFile();
      } catch (error) {
        throw broken(error);
      }
    })(),
  };
}

function brokenForm(error: unknown, { broken, manyFiles }: FileFormOptions['why']): unknown {
  if (error instanceof Refusal) return error;
  const isMany = error instanceof Error && 'code' in error && error.code === 'FST_FILES_LIMIT';
  return new Refusal('request_malformed', { why: isMany ? manyFiles : broken });
}

/** The bytes of a form's file, as they come. @throws Refusal `request_malformed` when the form breaks off */
export async function* bytesOf({ file }: MultipartFile): AsyncGenerator<Buffer, void> {
  try {
    yield* file.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw asBroken(error);
  }
}

/** What the parser of multipart says of a form that is none has no status of its own. */
function asBroken(error: unknown): unknown {
  const isKnown = error instanceof Refusal || (error instanceof Error && 'statusCode' in error);
  if (isKnown) return error;
  return new Refusal('request_malformed', { why: 'isi multipart rusak atau terpotong' });
}

const formWith = (
  { purpose = 'chat', type = '', crop }: UploadMetadata,
  file: MultipartFile | undefined,
): UploadForm => ({ purpose, crop, file, declared: file?.mimetype ?? type });

/** A header with a whole number of bytes; undefined when it is not there. @throws Refusal `request_malformed` */
export function bytesIn(request: FastifyRequest, header: string): number | undefined {
  const value = request.headers[header.toLowerCase()];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !/^\d{1,15}$/.test(value)) malformed(`${header} bukan bilangan`);
  return Number(value);
}

/** The name of a file in pieces; FilePond itself sends it as it is, ours percent-encoded. */
export function nameIn({ headers }: FastifyRequest): string {
  const value = headers[uploadHeaders.name.toLowerCase()];
  if (typeof value !== 'string') return '';
  if (value.length > NAME_LENGTH_MAX) malformed('nama berkas terlalu panjang');
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** What an address asks for. Nothing else may stand in it (docs/threats.md, T12). */
export function questionOf(request: FastifyRequest): { verb: string; id: string } {
  const asked = Object.entries(request.query as Record<string, unknown>);
  const [verb, id] = asked[0] ?? [];
  if (asked.length !== 1 || verb === undefined || typeof id !== 'string') {
    malformed('alamatnya memuat satu unggahan saja');
  }
  if (!['patch', 'restore', 'load', 'fetch'].includes(verb)) {
    malformed('isian tidak boleh berada di alamat');
  }
  return { verb, id };
}
