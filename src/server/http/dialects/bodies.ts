import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FormError, pairsOf } from '#contract/base/form.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { restorePluses } from '#server/http/input.ts';
import { declaredType, readMultipart } from '#server/http/body.ts';
import { type Given, type GivenFile, givenOf } from './given.ts';

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
const JSON_TYPE = 'application/json';

/** Fields of one form, and characters of a name. */
const PAIRS_MAX = 1000;
const NAME_LENGTH_MAX = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** How large the bodies of a dialect may be, in bytes: words, and what carries a file. */
type BodyLimits = { words: number; files: number };

/** Teaches a scope the three body types of these dialects, and no other. */
export function readBodies(scope: FastifyInstance, { words, files }: BodyLimits): void {
  scope.removeAllContentTypeParsers();
  for (const [type, bodyLimit] of [
    [FORM, words],
    [JSON_TYPE, words],
    [MULTIPART, files],
  ] as const) {
    scope.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit }, (_request, body, done) =>
      done(null, body),
    );
  }
}

/**
 * What a call gave: in its address and in its body, which counts where both name a field.
 *
 * @throws Refusal `request_malformed`, `body_too_large`
 */
export async function givenIn(request: FastifyRequest): Promise<Given> {
  const { body, headers, url } = request;
  const mark = url.indexOf('?');
  try {
    // Not the server's own reading, which leaves a wrong escape as it stands.
    const given = new Map<string, unknown>(formOf(mark === -1 ? '' : url.slice(mark + 1)));
    if (!Buffer.isBuffer(body) || body.length === 0) return given;
    const type = headers['content-type'] ?? '';
    for (const [name, value] of await fieldsOf(type, body)) given.set(name, value);
    return given;
  } catch (error) {
    if (error instanceof FormError) throw new Refusal('request_malformed', { why: error.why });
    throw error;
  }
}

async function fieldsOf(type: string, body: Buffer): Promise<Iterable<readonly [string, unknown]>> {
  const named = type.split(';', 1)[0]?.trim().toLowerCase();
  if (named === MULTIPART) return partsOf(type, body);
  const text = textOf(body);
  if (named === FORM) return formOf(text);
  const fields = givenOf(jsonOf(text));
  if (!fields) throw new FormError('isinya harus objek JSON');
  return fields;
}

function textOf(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new FormError('isinya bukan UTF-8');
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FormError('JSON-nya tidak lengkap atau salah tulis');
  }
}

function formOf(text: string): (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (const pair of pairsOf(text)) {
    checkName(pair[0]);
    const [name, value] = pair;
    pairs.push([name, withPluses(name, value)]);
    if (pairs.length > PAIRS_MAX) throw new FormError('terlalu banyak isian');
  }
  return pairs;
}

/** A field of a form whose numbers have the `+` that was written without `%2B`; `data` has them in its items. */
function withPluses(name: string, value: string): string {
  if (name === 'target' || name === 'phone') return restorePluses(value);
  if (name !== 'data') return value;
  return value.replaceAll(/(?<="(?:target|phone)"\s*:\s*")[^"]*/g, restorePluses);
}

async function partsOf(type: string, body: Buffer): Promise<[string, string | GivenFile][]> {
  const parts: [string, string | GivenFile][] = [];
  for (const [name, value] of await readMultipart(type, body)) {
    checkName(name);
    if (typeof value === 'string') parts.push([name, value]);
    else {
      const bytes = Buffer.from(await value.arrayBuffer());
      parts.push([name, { filename: value.name, type: declaredType(value.type), bytes }]);
    }
  }
  return parts;
}

function checkName(name: string): void {
  if (name.length > NAME_LENGTH_MAX) throw new FormError('nama isian terlalu panjang');
}
