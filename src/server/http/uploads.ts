import multipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { Refusal, refusals } from '#contract/base/refusals.ts';
import {
  CHUNK_BYTES_MAX,
  CHUNK_TYPE,
  UPLOAD_PATH,
  bytesMaxFor,
  uploadHeaders,
  UPLOAD_FIELD,
  type UploadMetadata,
  type UploadPurpose,
  uploadPurposes,
} from '#contract/uploads.ts';
import type { Person, Limiter } from '#server/infra/acts.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { asRefusal, errorResponse } from '#server/http/answer.ts';
import { type Origins, checkSource, isPortal, sourceOf } from '#server/http/origin.ts';
import { type Pace, cutAfter, drainBody, withinPace } from './connections.ts';
import type { Readable } from 'node:stream';
import * as z from 'zod/mini';
import { declaredType } from '#server/http/body.ts';
import { readInput } from '#server/http/input.ts';

type Owner = { accountId: string; userId: string };
type Incoming = AsyncIterable<Uint8Array>;
type Announced = Omit<Awaited<ReturnType<typeof formOf>>, 'file'> & { lengthBytes: number };

/** The operations behind the upload verbs. A person finds only their own uploads. */
export type UploadStore = {
  /** Begins an upload in pieces. @returns its id */
  begin(owner: Owner, announced: Announced): Promise<string>;
  /** Appends the next piece. @returns the bytes received so far */
  append(
    owner: Owner,
    uploadId: string,
    piece: { offset: number; lengthBytes: number; name: string; bytes: Incoming },
  ): Promise<number>;
  /** Stores a file in one piece. @returns the upload's id */
  take(owner: Owner, announced: Announced & { name: string; bytes: Incoming }): Promise<string>;
  /** @throws Refusal `not_found`; for a refused upload, its reason. */
  find(
    owner: Owner,
    uploadId: string,
  ): Promise<{ receivedBytes: number; lengthBytes: number; fileId: string | null }>;
  /** Deletes an upload with its file. @throws Refusal `not_found`, `upload_used` */
  revert(owner: Owner, uploadId: string): Promise<void>;
};

export type UploadsDeps = {
  uploads: UploadStore;
  openFile: (accountId: string, fileId: string) => Promise<ServedFile | undefined>;
  findSession: (token: string, request: FastifyRequest) => Promise<Person | undefined>;
  limiter: Limiter;
  origins: Origins;
  report: (bug: unknown, about: { requestId: string; act: string }) => void;
  pace?: Pace;
};

/** A slow phone can upload 5 MB in ten minutes: 8 kB a second, with pauses. */
export const PACE: Pace = { bytesPerSecond: 4_000, windowMs: 10_000, deadlineMs: 600_000 };
/** The size of a form beside its file. */
export const FORM_BYTES = 65_536;
/** Concurrent bodies of one person or token; FilePond sends two. */
const BODIES_MAX = 6;
const ID_BYTES_MAX = 100;
const PREFLIGHT_SECONDS = 600;
const WAIT_SECONDS = 2;

/** FilePond's verbs at `/api/uploads`, for a session's token (docs/wire.md#uploads). */
export function registerUploads(app: FastifyInstance, deps: UploadsDeps): void {
  void app.register(async (scope) => {
    readBodies(scope);
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      allowPortal(deps.origins, request, reply);
    });
    scope.setErrorHandler(async (error, request, reply) => {
      const refusal = asRefusal(error, request.id);
      if (!(error instanceof Refusal) && refusals[refusal.code].status >= 500)
        deps.report(error, { requestId: request.id, act: 'upload' });
      return refuse(request, reply, refusal);
    });
    const verbs = verbsOf(deps);
    const long = { config: { longBody: true } };
    scope.post(UPLOAD_PATH, long, verbs.post);
    scope.patch(UPLOAD_PATH, long, verbs.patch);
    scope.head(UPLOAD_PATH, verbs.head);
    scope.get(UPLOAD_PATH, { exposeHeadRoute: false }, verbs.get);
    scope.delete(UPLOAD_PATH, verbs.delete);
    scope.options(UPLOAD_PATH, (_request, reply) => reply.code(204).send());
  });
}

/** Bodies are streams here, except the id of a DELETE. */
function readBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(CHUNK_TYPE, (_request, _payload, done) => done(null));
  scope.addContentTypeParser(
    'text/plain',
    { parseAs: 'string', bodyLimit: ID_BYTES_MAX },
    (_request, body, done) => done(null, body),
  );
  void scope.register(multipart);
}

async function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
): Promise<FastifyReply> {
  // A sender who was too slow is cut off without draining the body.
  if (refusal.code === 'upload_too_slow' || !(await drainBody(request))) cutAfter(reply);
  const { status, body, retryAfter } = errorResponse(refusal);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  if ('offset' in refusal.facts) reply.header(uploadHeaders.offset, refusal.facts.offset);
  return reply.code(status).type('application/json; charset=utf-8').send(body);
}

type Verb = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
type VerbName = 'post' | 'patch' | 'head' | 'get' | 'delete';

function verbsOf(deps: UploadsDeps): Record<VerbName, Verb> {
  const { uploads, pace = PACE } = deps;
  const bodies = openBodyLimiter();
  const receiving = (request: FastifyRequest, work: (person: Person) => Promise<FastifyReply>) =>
    withSession(deps, request, 'write', (person) =>
      bodies(person.userId, () => withinPace(request, pace, () => work(person))),
    );
  return {
    post: (request, reply) =>
      receiving(request, async (person) => {
        const id = await post(uploads, person, request);
        return reply.type('text/plain; charset=utf-8').send(publicId('upload', id));
      }),
    patch: (request, reply) =>
      receiving(request, async (person) => {
        const received = await patch(uploads, person, request);
        return reply.code(204).header(uploadHeaders.offset, received).send();
      }),
    head: (request, reply) =>
      withSession(deps, request, 'read', async (person) => {
        const { verb, id } = verbAndIdOf(request);
        if (verb !== 'patch') malformed('hanya unggahan bertahap yang dapat dilanjutkan');
        const { receivedBytes, lengthBytes } = await uploads.find(person, uploadOf(id));
        return reply
          .headers({
            [uploadHeaders.offset]: receivedBytes,
            [uploadHeaders.length]: lengthBytes,
          })
          .send();
      }),
    get: (request, reply) =>
      withSession(deps, request, 'read', async (person) => {
        const { file, uploadId } = await fileFor(deps, person, verbAndIdOf(request));
        if (uploadId) reply.header(uploadHeaders.transferId, publicId('upload', uploadId));
        return sendFile(request, reply, file);
      }),
    delete: (request, reply) =>
      withSession(deps, request, 'write', async (person) => {
        const id = typeof request.body === 'string' ? request.body.trim() : '';
        await uploads.revert(person, uploadOf(id));
        return reply.code(204).send();
      }),
  };
}

/**
 * Requires a session's token; other calls count against the rate of their address.
 *
 * @throws Refusal `origin_foreign`, `not_signed_in`, `too_many_requests`
 */
async function withSession<T>(
  { origins, findSession, limiter }: UploadsDeps,
  request: FastifyRequest,
  limitClass: 'read' | 'write',
  work: (person: Person) => Promise<T>,
): Promise<T> {
  checkSource(origins, sourceOf(request), false);
  const token = /^Bearer (\S{1,200})$/.exec(request.headers.authorization ?? '')?.[1];
  const person = token === undefined ? undefined : await findSession(token, request);
  await limiter.allow(person ? limitClass : 'read', { ip: request.ip, person: person?.userId });
  if (!person) throw new Refusal('not_signed_in', {});
  return inAccount(person.accountId, () => work(person));
}

async function post(
  uploads: UploadStore,
  person: Person,
  request: FastifyRequest,
): Promise<string> {
  if (Object.keys(request.query as object).length > 0) malformed('alamatnya tidak memuat isian');
  const given = bytesIn(request, 'Content-Length');
  if (given !== undefined && given > LARGEST + FORM_BYTES) throw new Refusal('body_too_large', {});
  const length = bytesIn(request, uploadHeaders.length);
  const { file, ...announced } = await formOf(request);
  // Customer service stays available to suspended persons, with attachments.
  if (person.isSuspended && announced.purpose !== 'chat')
    throw new Refusal('account_suspended', {});
  if (!file) {
    if (length === undefined) malformed(`berkas atau ${uploadHeaders.length} belum ada`);
    return uploads.begin(person, { ...announced, lengthBytes: length });
  }
  const bytesMax = bytesMaxFor(announced.purpose);
  if (given !== undefined && given > bytesMax + FORM_BYTES) {
    throw new Refusal('upload_too_large', { bytesMax });
  }
  return uploads.take(person, {
    ...announced,
    lengthBytes: Math.min(given ?? bytesMax, bytesMax),
    name: file.filename,
    bytes: bytesOf(file),
  });
}

async function patch(
  uploads: UploadStore,
  person: Person,
  request: FastifyRequest,
): Promise<number> {
  const { verb, id } = verbAndIdOf(request);
  if (verb !== 'patch') malformed('potongan berkas dikirim dengan ?patch=');
  if (request.headers['content-type'] !== CHUNK_TYPE) {
    throw new Refusal('media_type_unsupported', {});
  }
  if ((bytesIn(request, 'Content-Length') ?? 0) > CHUNK_BYTES_MAX) {
    throw new Refusal('body_too_large', {});
  }
  const offset = bytesIn(request, uploadHeaders.offset);
  const lengthBytes = bytesIn(request, uploadHeaders.length);
  if (offset === undefined || lengthBytes === undefined) {
    malformed(`${uploadHeaders.offset} dan ${uploadHeaders.length} harus ada`);
  }
  return uploads.append(person, uploadOf(id), {
    offset,
    lengthBytes,
    name: nameIn(request),
    bytes: request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>,
  });
}

async function fileFor(
  { uploads, openFile }: UploadsDeps,
  person: Person,
  { verb, id }: { verb: string; id: string },
): Promise<{ file: ServedFile; uploadId?: string }> {
  if (verb === 'fetch') {
    malformed('berkas dari alamat lain tidak diambil, unduh lalu unggah berkasnya sendiri');
  }
  if (verb === 'patch') malformed('kemajuan unggahan ditanyakan dengan HEAD');
  const storedFileId = verb === 'load' ? uuidOf('file', id) : undefined;
  const uploadId = storedFileId === undefined ? uploadOf(id) : undefined;
  const fileId =
    uploadId === undefined ? storedFileId : (await uploads.find(person, uploadId)).fileId;
  const file = fileId && (await openFile(person.accountId, fileId));
  if (!file) throw new Refusal('not_found', { what: 'Berkas' });
  return { file, ...(uploadId !== undefined && { uploadId }) };
}

/** @throws Refusal `not_found` for an invalid upload id, as for an unknown one. */
function uploadOf(id: string): string {
  const uuid = uuidOf('upload', id);
  if (uuid === undefined) throw new Refusal('not_found', { what: 'Unggahan' });
  return uuid;
}

/** Limits the concurrent bodies per person in this process. */
export function openBodyLimiter(): <T>(person: string, work: () => Promise<T>) => Promise<T> {
  const sending = new Map<string, number>();
  return async (person, work) => {
    const now = sending.get(person) ?? 0;
    if (now >= BODIES_MAX) throw new Refusal('too_many_requests', { seconds: WAIT_SECONDS });
    sending.set(person, now + 1);
    try {
      return await work();
    } finally {
      const left = (sending.get(person) ?? 1) - 1;
      if (left === 0) sending.delete(person);
      else sending.set(person, left);
    }
  };
}

function allowPortal(origins: Origins, request: FastifyRequest, reply: FastifyReply): void {
  if (origins.portals.length > 0) reply.header('vary', 'Origin');
  const source = sourceOf(request);
  if (source.origin === undefined || !isPortal(origins, source)) return;
  const { length, offset, name, transferId } = uploadHeaders;
  reply.headers({
    'access-control-allow-origin': source.origin,
    'access-control-expose-headers': `Content-Disposition, ${offset}, ${length}, ${transferId}, Retry-After, X-Request-Id`,
    'cross-origin-resource-policy': 'cross-origin',
  });
  if (request.method === 'OPTIONS') {
    reply.headers({
      'access-control-allow-methods': 'POST, PATCH, HEAD, GET, DELETE',
      'access-control-allow-headers': `Authorization, Content-Type, ${length}, ${offset}, ${name}`,
      'access-control-max-age': PREFLIGHT_SECONDS,
    });
  }
}

function malformed(why: string): never {
  throw new Refusal('request_malformed', { why });
}

type Span = { start: number; end: number };

export type ServedFile = {
  fileId: string;
  name: string;
  mime: string;
  sizeBytes: number;
  stream(span?: Span): Promise<Readable>;
};

type FilesDeps = {
  /** Undefined when the signature is invalid or expired. */
  verify: (signed: {
    id: string;
    key: string;
  }) => { accountId: string; fileId: string } | undefined;
  open: (accountId: string, fileId: string) => Promise<ServedFile | undefined>;
};

/** Types shown in place; everything else is a download. */
const inlineTypes =
  /^(image\/(png|jpeg|webp|gif)|audio\/(ogg|mp4|mpeg|aac|webm)|video\/(mp4|3gpp))$/;
const CACHE_SECONDS = 3_000;

const FILES = '/files/';

/**
 * Stored files at their signed, short-lived addresses (docs/wire.md#uploads). The bytes are untrusted: nothing in
 * them runs.
 *
 * @param mediaOrigin their own origin, which serves nothing else, when it is not the portal's.
 */
export function registerFiles(app: FastifyInstance, deps: FilesDeps, mediaOrigin?: string): void {
  if (mediaOrigin !== undefined) separateHosts(app, new URL(mediaOrigin).host);
  serveSigned(app, { url: `${FILES}:id`, cache: `private, max-age=${CACHE_SECONDS}` }, deps);
}

function separateHosts(app: FastifyInstance, mediaHost: string): void {
  app.addHook('onRequest', async (request, reply) => {
    const here = request.host === mediaHost;
    if (here !== request.url.startsWith(FILES)) {
      return reply
        .code(404)
        .header('cache-control', 'no-store')
        .type('text/plain; charset=utf-8')
        .send('Tidak ditemukan.');
    }
    // The portal is on another site; the signed address alone authorises the file.
    if (here) reply.header('cross-origin-resource-policy', 'cross-origin');
    return undefined;
  });
}

/** Signed addresses: valid for one day, never cached. */
export const registerArchives = (app: FastifyInstance, deps: FilesDeps): void =>
  serveSigned(app, { url: '/exports/:id', cache: 'private, no-store' }, deps);

/** Signed addresses: valid for one day, never cached. */
export const registerRowExports = (app: FastifyInstance, deps: FilesDeps): void =>
  serveSigned(app, { url: '/row-exports/:id', cache: 'private, no-store' }, deps);

/** Signed addresses: valid for minutes, never cached. */
export const registerInvoices = (app: FastifyInstance, deps: FilesDeps): void =>
  serveSigned(app, { url: '/invoices/:id', cache: 'private, no-store' }, deps);

function serveSigned(
  app: FastifyInstance,
  { url, cache }: { url: string; cache: string },
  { verify, open }: FilesDeps,
): void {
  app.route<{ Params: { id: string }; Querystring: { k?: unknown } }>({
    method: ['GET', 'HEAD'],
    url,
    handler: async (request, reply) => {
      const { k } = request.query;
      const claim = typeof k === 'string' ? verify({ id: request.params.id, key: k }) : undefined;
      const file = claim && (await open(claim.accountId, claim.fileId));
      if (!file) return reply.callNotFound();
      return sendFile(request, reply, { ...file, cache });
    },
  });
}

/**
 * Sends a file by its type: images, audio and video in place, everything else as a download of unknown type, all of
 * it sandboxed. Supports a single range (`Range`), for seeking in players.
 */
export async function sendFile(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  file: ServedFile & { cache?: string },
): Promise<FastifyReply> {
  const ifRange = headers['if-range'];
  const etag = `"${file.fileId}"`;
  const rangeHeader = ifRange === undefined || ifRange === etag ? headers.range : undefined;
  const span = spanOf(rangeHeader, file.sizeBytes);
  // Opened before any header is set, since an error response must have none of them.
  const bytes = method === 'HEAD' || span === 'none' ? undefined : await file.stream(span);
  const open = inlineTypes.test(file.mime);
  reply.headers({
    ...(file.cache !== undefined && { 'cache-control': file.cache }),
    'content-type': open ? file.mime : 'application/octet-stream',
    'content-disposition': `${open ? 'inline' : 'attachment'}; filename*=UTF-8''${encoded(file.name)}`,
    'content-security-policy': "sandbox; default-src 'none'",
    'accept-ranges': 'bytes',
    etag,
  });
  if (span === 'none') {
    return reply.code(416).header('content-range', `bytes */${file.sizeBytes}`).send('');
  }
  if (span) {
    reply.code(206);
    reply.header('content-range', `bytes ${span.start}-${span.end}/${file.sizeBytes}`);
  }
  reply.header('content-length', span ? span.end - span.start + 1 : file.sizeBytes);
  return reply.send(bytes);
}

/**
 * The single range of a `Range` header; undefined for the whole file (also for several ranges, which no client
 * needs), `none` when it lies beyond the file.
 */
function spanOf(range: string | undefined, size: number): Span | 'none' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  return start > end ? 'none' : { start, end };
}

/** RFC 8187: escapes characters that a header's value may not contain. */
export const encoded = (name: string): string =>
  encodeURIComponent(name.toWellFormed().slice(0, 400).toWellFormed()).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  );

const purposes = Object.keys(uploadPurposes) as [UploadPurpose, ...UploadPurpose[]];
/** The size limit of the largest purpose, in bytes. */
export const LARGEST = Math.max(...purposes.map((purpose) => bytesMaxFor(purpose)));

const METADATA_BYTES_MAX = 4_096;
const NAME_LENGTH_MAX = 4_096;

const fraction = z.number().check(z.minimum(0), z.maximum(1));
const positive = z.number().check(z.gt(0), z.maximum(1));

/** Other fields belong to the client and are ignored. */
const Metadata = z.object({
  purpose: z.optional(z.enum(purposes)),
  type: z.optional(z.string().check(z.maxLength(200))),
  crop: z.optional(z.object({ x: fraction, y: fraction, width: positive, height: positive })),
});

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

type UploadForm = {
  purpose: UploadPurpose;
  declared: string;
  crop: UploadMetadata['crop'];
  /** Missing when the file comes in pieces. Its bytes have not been read yet. */
  file: MultipartFile | undefined;
};

/**
 * Multipart limits (docs/threats.md, T41). The parser truncates the file silently at this size, which exceeds every
 * purpose's own limit, so that the latter is reported.
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
 * Reads a form up to its file; the metadata comes first, as FilePond sends it.
 *
 * @throws Refusal `request_malformed`, `media_type_unsupported`
 */
async function formOf(request: FastifyRequest): Promise<UploadForm> {
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
    throw asMalformed(error);
  }
  return formWith(metadata, undefined);
}

type FileForm = {
  filename: string;
  mimetype: string;
  /** The file's bytes as they arrive. After the last of them the rest of the form has been read. */
  bytes: AsyncGenerator<Buffer, void>;
  /** A field's text; for a field after the file, only once the bytes have been read. */
  text: (name: string) => string | undefined;
};

type FileFormOptions = {
  /** Checks the name of a part; throws a Refusal to reject it. */
  checkName?: (name: string, isFile: boolean) => void;
  why: { broken: string; manyFiles: string };
};

/**
 * Reads a form up to its file; its parts may come in any order.
 *
 * @throws Refusal `media_type_unsupported`, `upload_empty` without a file, and those of `checkName`;
 * `request_malformed` when the form breaks off, also while its bytes are read
 */
export async function fileFormOf(
  request: FastifyRequest,
  { checkName, why }: FileFormOptions,
): Promise<FileForm> {
  if (!request.isMultipart()) throw new Refusal('media_type_unsupported', {});
  const parts = request.parts({ limits: PARTS });
  const texts = new Map<string, string>();
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

/** @throws Refusal `request_malformed` when the form breaks off */
async function* bytesOf({ file }: MultipartFile): AsyncGenerator<Buffer, void> {
  try {
    yield* file.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw asMalformed(error);
  }
}

/** The multipart parser's errors for a broken form have no status of their own. */
function asMalformed(error: unknown): unknown {
  const isKnown = error instanceof Refusal || (error instanceof Error && 'statusCode' in error);
  if (isKnown) return error;
  return new Refusal('request_malformed', { why: 'isi multipart rusak atau terpotong' });
}

const formWith = (
  { purpose = 'chat', type = '', crop }: UploadMetadata,
  file: MultipartFile | undefined,
): UploadForm => ({ purpose, crop, file, declared: file?.mimetype ?? type });

/** Undefined without the header. @throws Refusal `request_malformed` */
export function bytesIn(request: FastifyRequest, header: string): number | undefined {
  const value = request.headers[header.toLowerCase()];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !/^\d{1,15}$/.test(value)) malformed(`${header} bukan bilangan`);
  return Number(value);
}

/** The name of a file in pieces; FilePond sends it raw, our client percent-encoded. */
function nameIn({ headers }: FastifyRequest): string {
  const value = headers[uploadHeaders.name.toLowerCase()];
  if (typeof value !== 'string') return '';
  if (value.length > NAME_LENGTH_MAX) malformed('nama berkas terlalu panjang');
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The verb and id in an address, which may hold nothing else (docs/threats.md, T12). */
function verbAndIdOf(request: FastifyRequest): { verb: string; id: string } {
  const parameters = Object.entries(request.query as Record<string, unknown>);
  const [verb, id] = parameters[0] ?? [];
  if (parameters.length !== 1 || verb === undefined || typeof id !== 'string') {
    malformed('alamatnya memuat satu unggahan saja');
  }
  if (!['patch', 'restore', 'load', 'fetch'].includes(verb)) {
    malformed('isian tidak boleh berada di alamat');
  }
  return { verb, id };
}
