import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FORM_LIMITS, type Fields, FormError, fieldsFrom, parseForm } from '#contract/form.ts';
import { Refusal } from '#contract/refusals.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const FORM = 'application/x-www-form-urlencoded';

/** What multipart may bring. No act takes a file, so the first one is refused (`security.md`, T41). */
const PARTS = {
  fields: 50,
  fieldSize: FORM_LIMITS.bytes,
  files: 1,
  parts: 60,
  headerPairs: 50,
} as const;

/** Teaches a scope the portal's two body types, and no other. */
export function readForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    FORM,
    { parseAs: 'buffer', bodyLimit: FORM_LIMITS.bytes },
    (_request, body, done) => done(null, body),
  );
  void scope.register(multipart, { limits: { ...PARTS, fieldNameSize: FORM_LIMITS.nameLength } });
}

/**
 * The fields of a request's body.
 *
 * @throws Refusal `request_malformed`, `body_too_large`, `media_type_unsupported`
 */
export async function fieldsOfBody(request: FastifyRequest): Promise<Fields> {
  try {
    if (request.isMultipart()) return fieldsFrom(await partsOf(request));
    if (!isForm(request.headers['content-type'])) throw new Refusal('media_type_unsupported', {});
    return parseForm(textOf(request.body));
  } catch (error) {
    if (error instanceof FormError) throw new Refusal('request_malformed', { why: error.why });
    throw error;
  }
}

/** True for urlencoded UTF-8; another charset would be read wrongly. */
function isForm(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type?.trim() !== FORM) return false;
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='));
  return charset === undefined || ['utf-8', '"utf-8"'].includes(charset.slice('charset='.length));
}

function textOf(body: unknown): string {
  if (!Buffer.isBuffer(body)) return '';
  try {
    return utf8.decode(body);
  } catch {
    throw new FormError('isian bukan UTF-8');
  }
}

async function partsOf(request: FastifyRequest): Promise<[string, string][]> {
  const pairs: [string, string][] = [];
  let bytes = 0;
  for await (const part of request.parts()) {
    if (part.type === 'file') {
      part.file.resume();
      throw new Refusal('request_malformed', { why: 'permintaan ini tidak menerima berkas' });
    }
    if (part.fieldnameTruncated) throw new FormError('nama isian terlalu panjang');
    bytes += Buffer.byteLength(String(part.value));
    if (part.valueTruncated || bytes > FORM_LIMITS.bytes) throw new Refusal('body_too_large', {});
    pairs.push([part.fieldname, String(part.value)]);
  }
  return pairs;
}
