import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FORM_LIMITS, type Fields, FormError, fieldsFrom, parseForm } from '#contract/base/form.ts';
import { Refusal } from '#contract/base/refusals.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

/** Parts of a multipart body: more than any act has fields, and each takes time to read. */
const PARTS_MAX = 60;
/** The size of all fields, and the same again for the headers of the parts. */
const MULTIPART_BYTES_MAX = 2 * FORM_LIMITS.bytes;
/** The longest boundary (RFC 2046, 5.1.1). */
const BOUNDARY_LENGTH_MAX = 70;

/** Accepts only the portal's two body types in a scope. */
export function readForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  for (const [type, bodyLimit] of [
    [FORM, FORM_LIMITS.bytes],
    [MULTIPART, MULTIPART_BYTES_MAX],
  ] as const) {
    scope.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit }, (_request, body, done) =>
      done(null, body),
    );
  }
}

/** @throws Refusal `request_malformed`, `body_too_large`, `media_type_unsupported` */
export async function fieldsOfBody(request: FastifyRequest): Promise<Fields> {
  const contentType = request.headers['content-type'];
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  try {
    if (isMultipart(contentType)) return fieldsFrom(await partsOf(contentType, body));
    if (!isForm(contentType)) throw new Refusal('media_type_unsupported', {});
    return parseForm(textOf(body));
  } catch (error) {
    if (error instanceof FormError) throw new Refusal('request_malformed', { why: error.why });
    throw error;
  }
}

const isMultipart = (contentType: string | undefined): contentType is string =>
  contentType?.split(';', 1)[0]?.trim().toLowerCase() === MULTIPART;

/** True for urlencoded UTF-8; another charset would be decoded wrongly. */
function isForm(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type?.trim() !== FORM) return false;
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='));
  return charset === undefined || ['utf-8', '"utf-8"'].includes(charset.slice('charset='.length));
}

function textOf(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new FormError('isian bukan UTF-8');
  }
}

/** The fields of a multipart body. No act takes a file (docs/threats.md, T41). */
async function partsOf(contentType: string, body: Buffer): Promise<[string, string][]> {
  const pairs: [string, string][] = [];
  let bytes = 0;
  for (const [name, value] of await readMultipart(contentType, body)) {
    if (typeof value !== 'string') throw new FormError('permintaan ini tidak menerima berkas');
    bytes += Buffer.byteLength(value);
    pairs.push([name, value]);
  }
  if (bytes > FORM_LIMITS.bytes) throw new Refusal('body_too_large', {});
  return pairs;
}

/** Empty for `text/plain`, the default of a part without a type (RFC 7578, 4.4). */
export const declaredType = (type: string): string => (type === 'text/plain' ? '' : type);

/**
 * The parts of a multipart body, texts and files.
 *
 * @throws FormError when it is broken, or a text in it is not UTF-8; Refusal `body_too_large` for too many parts.
 */
export async function readMultipart(
  contentType: string,
  body: Buffer,
): Promise<[string, string | File][]> {
  checkParts(contentType, body);
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': contentType },
  })
    .formData()
    .catch(() => {
      throw new FormError('isi multipart rusak atau terpotong');
    });
  const parts = [...form];
  // Invalid UTF-8 was decoded to U+FFFD; in a body with files only the texts are checked.
  const isWhole = isUtf8(body);
  const isRead = (text: unknown) => isWhole || typeof text !== 'string' || !text.includes('\uFFFD');
  if (!parts.every(([name, value]) => isRead(name) && isRead(value))) {
    throw new FormError('isian bukan UTF-8');
  }
  return parts;
}

/** Checks cheaply, before parsing, that a body is multipart, UTF-8, and has few enough parts. */
function checkParts(contentType: string, body: Buffer): void {
  const named = [...contentType.matchAll(/;\s*boundary\s*=\s*("?)([^";]*)\1/gi)];
  const boundary = named[0]?.[2]?.trim() ?? '';
  if (named.length !== 1 || boundary === '' || boundary.length > BOUNDARY_LENGTH_MAX) {
    throw new FormError('batas (boundary) multipart tidak ada atau tidak sah');
  }
  const parts = body.toString('latin1').split(`--${boundary}`).slice(1, -1);
  if (parts.length > PARTS_MAX) throw new Refusal('body_too_large', {});
  const types = parts.map((part) => /^content-type:(.*)$/im.exec(headOf(part))?.[1] ?? '');
  if (types.some((type) => /^\s*multipart\//i.test(type))) {
    throw new FormError('multipart di dalam multipart tidak diterima');
  }
  if ([contentType, ...types].some((type) => /;\s*charset\s*=\s*"?(?!utf-8)/i.test(type))) {
    throw new FormError('isian bukan UTF-8');
  }
}

const headOf = (part: string): string => part.split('\r\n\r\n', 1)[0] ?? '';
