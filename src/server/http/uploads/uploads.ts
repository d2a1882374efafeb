import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { Refusal, refusals } from '#contract/base/refusals.ts';
import {
  CHUNK_BYTES_MAX,
  CHUNK_TYPE,
  UPLOAD_PATH,
  bytesMaxFor,
  uploadHeaders,
} from '#contract/uploads.ts';
import type { Person } from '#server/infra/acts/act.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import type { Limiter } from '#server/infra/acts/limits.ts';
import { asRefusal, no } from '#server/http/answer.ts';
import { type ServedFile, sendFile } from './files.ts';
import { type Origins, checkSource, isPortal, sourceOf } from '#server/http/origin.ts';
import { type Pace, cutAfter, drained, withinPace } from '#server/http/body-timeout.ts';
import { LARGEST, bytesIn, bytesOf, formOf, nameIn, questionOf } from './uploads-form.ts';

type Owner = { accountId: string; userId: string };
type Incoming = AsyncIterable<Uint8Array>;
type Announced = Omit<Awaited<ReturnType<typeof formOf>>, 'file'> & { lengthBytes: number };

/** What the verbs need of uploads. Nobody finds another person's. */
export type UploadStore = {
  /** Begins an upload in pieces and gives its id. */
  begin(owner: Owner, announced: Announced): Promise<string>;
  /** Takes the next piece and gives the bytes received. */
  append(
    owner: Owner,
    uploadId: string,
    piece: { offset: number; lengthBytes: number; name: string; bytes: Incoming },
  ): Promise<number>;
  /** Takes a file in one piece and gives the upload's id. */
  take(owner: Owner, announced: Announced & { name: string; bytes: Incoming }): Promise<string>;
  /** @throws Refusal `not_found`; for a refused upload, its reason. */
  find(
    owner: Owner,
    uploadId: string,
  ): Promise<{ receivedBytes: number; lengthBytes: number; fileId: string | null }>;
  /** Takes an upload back, with its file. @throws Refusal `not_found`, `upload_used` */
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

/** The slowest phone still gets 5 MB through in its ten minutes: 8 kB a second, and pauses are allowed. */
export const PACE: Pace = { bytesPerSecond: 4_000, windowMs: 10_000, deadlineMs: 600_000 };
/** What a form weighs beside its file. */
export const FORM_BYTES = 65_536;
/** Bodies of one person, or token, on their way at once; FilePond sends two. */
const BODIES_MAX = 6;
const ID_BYTES_MAX = 100;
const PREFLIGHT_SECONDS = 600;
const WAIT_SECONDS = 2;

/** FilePond's verbs at `/api/uploads`, for whoever carries a session's token (docs/wire.md#uploads). */
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

/** Bodies are streams here, but for the id of a DELETE. */
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
  // Who is too slow to be waited for is not waited for.
  if (refusal.code === 'upload_too_slow' || !(await drained(request))) cutAfter(reply);
  const { status, body, retryAfter } = no(refusal);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  if ('offset' in refusal.facts) reply.header(uploadHeaders.offset, refusal.facts.offset);
  return reply.code(status).type('application/json; charset=utf-8').send(body);
}

type Verb = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
type VerbName = 'post' | 'patch' | 'head' | 'get' | 'delete';

function verbsOf(deps: UploadsDeps): Record<VerbName, Verb> {
  const { uploads, pace = PACE } = deps;
  const bodies = openTurns();
  /** Something with a long body, in the sender's turn and at the server's pace. */
  const receiving = (request: FastifyRequest, work: (person: Person) => Promise<FastifyReply>) =>
    admitted(deps, request, 'write', (person) =>
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
      admitted(deps, request, 'read', async (person) => {
        const { verb, id } = questionOf(request);
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
      admitted(deps, request, 'read', async (person) => {
        const { file, uploadId } = await fileFor(deps, person, questionOf(request));
        if (uploadId) reply.header(uploadHeaders.transferId, publicId('upload', uploadId));
        return sendFile(request, reply, file);
      }),
    delete: (request, reply) =>
      admitted(deps, request, 'write', async (person) => {
        const id = typeof request.body === 'string' ? request.body.trim() : '';
        await uploads.revert(person, uploadOf(id));
        return reply.code(204).send();
      }),
  };
}

/**
 * Lets in who carries a session's token; others have used up a call of their address.
 *
 * @throws Refusal `origin_foreign`, `not_signed_in`, `too_many_requests`
 */
async function admitted<T>(
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

/** A file in one piece, or the beginning of one in pieces. */
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
  // Customer service stays open to them, with what they want to show it.
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

/** The next piece. */
async function patch(
  uploads: UploadStore,
  person: Person,
  request: FastifyRequest,
): Promise<number> {
  const { verb, id } = questionOf(request);
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

/** The file of an upload (`restore`, `load`), or one the account keeps (`load`). */
async function fileFor(
  { uploads, openFile }: UploadsDeps,
  person: Person,
  { verb, id }: { verb: string; id: string },
): Promise<{ file: ServedFile; uploadId?: string }> {
  if (verb === 'fetch') {
    malformed('berkas dari alamat lain tidak diambil, unduh lalu unggah berkasnya sendiri');
  }
  if (verb === 'patch') malformed('kemajuan unggahan ditanyakan dengan HEAD');
  const kept = verb === 'load' ? uuidOf('file', id) : undefined;
  const uploadId = kept === undefined ? uploadOf(id) : undefined;
  const fileId = uploadId === undefined ? kept : (await uploads.find(person, uploadId)).fileId;
  const file = fileId && (await openFile(person.accountId, fileId));
  if (!file) throw new Refusal('not_found', { what: 'Berkas' });
  return { file, ...(uploadId !== undefined && { uploadId }) };
}

/** @throws Refusal `not_found` for what is no upload's id: it would not be there either. */
function uploadOf(id: string): string {
  const uuid = uuidOf('upload', id);
  if (uuid === undefined) throw new Refusal('not_found', { what: 'Unggahan' });
  return uuid;
}

/** Lets one person send so many bodies at once, in this process. */
export function openTurns(): <T>(person: string, work: () => Promise<T>) => Promise<T> {
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

/** CORS for the portals of PORTAL_ORIGINS and nobody else. */
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
