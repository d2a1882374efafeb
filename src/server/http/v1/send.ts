import { createHash } from 'node:crypto';
import type { FastifyRequest, FastifyReply } from 'fastify';
import { type Language, languageOf, type Bilingual } from '#contract/language/language.ts';
import { Refusal, refusals } from '#contract/base/refusals.ts';
import { MessageType } from '#contract/messages.ts';
import { ManyMessages, NewMessage } from '#contract/rest/messages.ts';
import { readWithKnownNumbers, refuseUnstorable } from '#server/http/input.ts';
import type { ApiMessages } from '#server/domains/messages/messages.ts';
import type { ApiReader, KeyHolder } from '#server/infra/endpoints.ts';
import { problemOf, phrases, PROBLEM_TYPE } from './answers.ts';
import { API_LIMITS, fieldNotes } from '#contract/rest/endpoint.ts';
import * as z from 'zod/mini';

type SendDeps = Pick<ApiMessages, 'send' | 'known'>;

type Reply = {
  status: number;
  body: object;
  replayed: boolean;
  refused: readonly Refusal[];
};

/** `POST /v1/messages`. */
export const messageReceiver =
  (deps: SendDeps) =>
  async ({ sender, request, reply }: HttpCall): Promise<unknown> => {
    const sent = await sendFrom(deps, sender, request);
    if (sent.replayed) void reply.header('Idempotent-Replayed', 'true');
    request.apiRefusals = sent.refused;
    if (sent.status >= 400) void reply.type(PROBLEM_TYPE);
    return reply.code(sent.status).send(sent.body);
  };

/** Answers one message, or many. */
async function sendFrom(
  deps: SendDeps,
  sender: KeyHolder,
  request: FastifyRequest,
): Promise<Reply> {
  const key = idempotencyKey(request);
  const { body } = request;
  if (!isObject(body)) throw malformed(request, 'notObject');
  if ('messages' in body) return sendMany(deps, sender, request, key);
  const language = languageIn(request);
  const { read: message, byRule } = await readWithKnownNumbers(deps.known, sender.accountId, () =>
    readMessage(body, language),
  );
  if (message instanceof Refusal) throw message;
  const answer = { language, shape: 'one' };
  const { results, replayed } = await deps.send({
    sender,
    messages: [message],
    key,
    answer,
    identity: acceptable([byRule]),
  });
  const [result] = results;
  if (!result) throw new Error('sending one message returned no result');
  if (result instanceof Refusal) throw result;
  return { status: 202, body: result, replayed, refused: [] };
}

/** Up to 1,000 at once: each item is accepted or refused by itself. */
async function sendMany(
  { send, known }: SendDeps,
  sender: KeyHolder,
  request: FastifyRequest,
  key: string | undefined,
): Promise<Reply> {
  const requestLanguage = languageIn(request);
  const many = readFields(ManyMessages(), request.body, {
    language: requestLanguage,
    itemByItem: true,
  });
  if (many instanceof Refusal) throw many;
  const readIn = (language: Language) => many.messages.map((one) => readMessage(one, language));
  const { read, byRule } = await readWithKnownNumbers(known, sender.accountId, () =>
    readIn(requestLanguage),
  );
  const messages = acceptable(read);
  const answer = { language: requestLanguage, shape: shapeOf(many.messages, read) };
  const sent =
    messages.length === 0
      ? { results: [], saldo: undefined, replayed: false, language: requestLanguage }
      : await send({ sender, messages, key, answer, identity: acceptable(byRule) });
  // A repeat uses the language of the first answer.
  const language = sent.language === 'en' ? 'en' : 'id';
  const answers = sent.results[Symbol.iterator]();
  const results = (language === requestLanguage ? read : readIn(language)).map((one) =>
    one instanceof Refusal
      ? one
      : (answers.next().value ?? new Refusal('our_fault', { request: request.id })),
  );
  const refused = results.filter((result) => result instanceof Refusal);
  const data = results.map((result) =>
    result instanceof Refusal ? { error: itemProblem(result, request.id, language) } : result,
  );
  const [first] = refused;
  if (first && refused.length === results.length) {
    const body = { ...problemOf(first, request.id, language), data };
    return { status: refusals[first.code].status, body, replayed: false, refused };
  }
  const accepted = results.length - refused.length;
  const body = { data, accepted, refused: refused.length, saldo: sent.saldo };
  return { status: 202, body, replayed: sent.replayed, refused };
}

/** The valid ones of some parsed messages. */
export const acceptable = (read: readonly (NewMessage | Refusal)[]): NewMessage[] =>
  read.flatMap((one) => (one instanceof Refusal ? [] : [one]));

/** A digest of the refused items: a repeat of the request refuses the same ones. */
function shapeOf(given: readonly unknown[], read: readonly (NewMessage | Refusal)[]): string {
  const refused = given.map((one, index) => (read[index] instanceof Refusal ? one : 0));
  if (!read.some((one) => one instanceof Refusal)) return 'many';
  return `many ${createHash('sha256').update(JSON.stringify(refused)).digest('base64url')}`;
}

function itemProblem(no: Refusal, requestId: string, language: Language) {
  const { code, detail, fields, retryable } = problemOf(no, requestId, language);
  return { code, detail, retryable, ...(fields && { fields }) };
}

function readMessage(given: unknown, language: Language): NewMessage | Refusal {
  const input = isObject(given) && !('type' in given) ? typed(given) : given;
  return readFields(NewMessage(), input, { language, whole: 'message' });
}

/** Several type objects are ambiguous and refused; none means text. */
function typed(given: Record<string, unknown>): Record<string, unknown> {
  const [type = 'text', another] = MessageType().options.filter((one) => Object.hasOwn(given, one));
  return another === undefined ? { ...given, type } : given;
}

/** Stores the first answer to a key, and returns it for repeats within a day. */
export type RunIdempotent = (
  call: { tokenId: string; key: string; endpoint: string; input: string },
  work: () => Promise<string>,
) => Promise<string>;

type IdempotentCall = { tokenId: string; key: string | undefined; endpoint: string; input: string };

/**
 * The result of `work` as JSON; for a repeated key the first one, marked by a response header.
 *
 * @throws Refusal `idempotency_conflict`, `request_in_flight`, and the errors of `work`
 */
export async function answerIdempotent(
  runIdempotent: RunIdempotent,
  { key, ...asked }: IdempotentCall,
  reply: FastifyReply,
  work: () => Promise<unknown>,
): Promise<string> {
  let isFirst = false;
  const text = async () => {
    isFirst = true;
    return JSON.stringify(await work());
  };
  if (key === undefined) return text();
  const answer = await runIdempotent({ ...asked, key }, text);
  if (!isFirst) void reply.header('Idempotent-Replayed', 'true');
  return answer;
}

/** A call of an endpoint that reads the body and answers itself. */
export type HttpCall = {
  sender: KeyHolder;
  reader: ApiReader;
  request: FastifyRequest;
  reply: FastifyReply;
};

export const languageIn = ({ headers }: FastifyRequest): Language =>
  languageOf(headers['accept-language']);

/** A refusal of an unreadable request, with the reason in the caller's language. */
export const malformed = (request: FastifyRequest, why: keyof typeof phrases): Refusal =>
  new Refusal('request_malformed', { why: phrases[why][languageIn(request)] });

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The caller's `Idempotency-Key`. @throws Refusal `input_invalid` */
export function idempotencyKey(request: FastifyRequest): string | undefined {
  const given = request.headers['idempotency-key'];
  if (given === undefined) return undefined;
  const { idempotencyKeyMax: max } = API_LIMITS;
  if (typeof given !== 'string' || given.length > max || !/^[\x21-\x7e]+$/.test(given)) {
    const sentence = phrases.idempotencyKey[languageIn(request)];
    throw new Refusal('input_invalid', { fields: { 'Idempotency-Key': sentence } });
  }
  return given;
}

/** The subset of JSON Schema that the API's schemas use, with their notes. */
type Node = {
  type?: string;
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Readonly<Record<string, Node>>;
  required?: readonly string[];
  additionalProperties?: Node | boolean;
  items?: Node;
  oneOf?: readonly Node[];
  anyOf?: readonly Node[];
  expected?: Bilingual;
  example?: unknown;
};

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

type ReadOptions = {
  language: Language;
  whole?: string;
  /** Omits the given value from errors: in an address, it is always text. */
  fromAddress?: boolean;
  /** Items are parsed separately later: a text that cannot be stored refuses only its item. */
  itemByItem?: boolean;
};

const NAMED_MAX = 20;
const roots = new WeakMap<z.ZodMiniType, Node>();

/**
 * Parses an API input by its schema, or returns the refusal `input_invalid` with one sentence per field: what the
 * field takes, and what it got instead. Texts that cannot be stored come first. Unknown fields are named too; twenty
 * at most.
 */
export function readFields<Schema extends z.ZodMiniType>(
  schema: Schema,
  input: unknown,
  options: ReadOptions,
): z.output<Schema> | Refusal {
  const checked = options.itemByItem ? namesOf(input) : input;
  const unstorable = refuseUnstorable(checked, options.language, options.whole);
  if (unstorable) return unstorable;
  const read = schema.safeParse(input);
  if (read.success) return read.data;
  const fields = fieldErrors(schema, input, read.error.issues, options);
  return new Refusal('input_invalid', { fields });
}

const namesOf = (input: unknown) =>
  Object.fromEntries(Object.keys(Object(input)).map((name) => [name, null]));

function fieldErrors(
  schema: z.ZodMiniType,
  input: unknown,
  issues: readonly Issue[],
  options: ReadOptions,
): Record<string, string> {
  const root = rootOf(schema);
  const fields = new Map<string, string>();
  const say = (path: Path, sentence: string) => {
    const name = path.map(String).join('.') || (options.whole ?? 'body');
    if (fields.size < NAMED_MAX && !fields.has(name)) fields.set(name, sentence);
  };
  for (const issue of issues) {
    // An input may have very many wrong fields: sentences are generated only for the named ones.
    if (fields.size >= NAMED_MAX) break;
    // A name in an address holds one text, which is wrong as a whole.
    const path = options.fromAddress ? issue.path.slice(0, 1) : issue.path;
    const node = nodeAt(root, path, input);
    if (issue.code === 'unrecognized_keys') {
      const outside = path.length > 0 ? nodeAt(root, path.slice(0, -1), input) : {};
      for (const key of issue.keys.slice(0, NAMED_MAX)) {
        say([...path, key], unknownField(key, { node, outside }, options));
      }
    } else {
      say(path, sentenceOf(issue, node, { given: valueAt(input, path), ...options }));
    }
  }
  return Object.fromEntries(fields);
}

function rootOf(schema: z.ZodMiniType): Node {
  const known = roots.get(schema);
  if (known) return known;
  // `any`: JSON Schema cannot express a coercion, so it is left open and described by a note.
  const made = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    metadata: fieldNotes as unknown as typeof z.globalRegistry,
  }) as unknown as Node;
  roots.set(schema, made);
  return made;
}

/** The schema at one path; for a union, the member that `input` selects by its `type`. */
function nodeAt(root: Node, path: Path, input: unknown): Node {
  let node = resolveNode(root, input);
  let value = input;
  for (const step of path) {
    value = valueAt(value, [step]);
    const { properties, additionalProperties, items } = node;
    const beneath = properties?.[String(step)] ?? items ?? additionalProperties;
    node = resolveNode(typeof beneath === 'object' ? beneath : {}, value);
  }
  return node;
}

function unlessNull({ anyOf, ...node }: Node): Node {
  const [other, none] = anyOf?.length === 2 ? anyOf : [];
  return none?.type === 'null' ? { ...other, ...node } : node;
}

function resolveNode(place: Node, value: unknown): Node {
  const node = unlessNull(place);
  if (!node.oneOf) return node;
  const type = valueAt(value, ['type']);
  const match = node.oneOf.find(({ properties }) => properties?.['type']?.const === type);
  if (match) return match;
  // Without a selected member, only the valid values of `type` are known.
  const types = node.oneOf.flatMap(({ properties }) => properties?.['type']?.const ?? []);
  const { oneOf: _, ...rest } = node;
  return { ...rest, type: 'object', properties: { type: { enum: types } } };
}

function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step))
      return undefined;
    found = (found as Record<PropertyKey, unknown>)[step];
  }
  return found;
}

function sentenceOf(
  issue: Exclude<Issue, { code: 'unrecognized_keys' }>,
  node: Node,
  { language, given, fromAddress = false }: ReadOptions & { given: unknown },
): string {
  // A custom rule brings its own sentence.
  if (issue.code === 'custom' && issue.message !== DEFAULT_MESSAGE) {
    const own = language === 'en' ? issue.params?.['en'] : issue.message;
    if (typeof own === 'string') return own;
  }
  const expected = describeNode(node, language);
  if (given === undefined) return words.required[language](expected);
  const got = fromAddress ? undefined : describeGiven(issue, given, language);
  return got === undefined
    ? words.expected[language](expected)
    : words.butGot[language](expected, got);
}

const DEFAULT_MESSAGE = 'Invalid input';

function describeGiven(issue: Issue, given: unknown, language: Language): string | undefined {
  if (typeof given === 'string' && (issue.code === 'too_big' || issue.code === 'too_small')) {
    return `${figure(given.length, language)} ${words.characters[language]}`;
  }
  if (Array.isArray(given) && issue.code === 'too_big') return figure(given.length, language);
  return issue.code === 'invalid_type' ? words.kinds[language][kindOf(given)] : undefined;
}

type Kind = 'array' | 'boolean' | 'null' | 'number' | 'object' | 'string';

function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const kind = typeof value;
  return kind === 'string' || kind === 'number' || kind === 'boolean' ? kind : 'object';
}

/** Names the right place of a field one level too high, such as a caption. */
function unknownField(
  name: string,
  { node, outside }: { node: Node; outside: Node },
  { language }: ReadOptions,
): string {
  const unknown = words.unknown[language](Object.keys(node.properties ?? {}).join(', '));
  const isOutside = Object.hasOwn(outside.properties ?? {}, name);
  return isOutside ? `${unknown} ${words.outside[language](name)}` : unknown;
}

function describeNode(node: Node, language: Language): string {
  if (node.expected) return node.expected[language];
  if (node.enum) return words.oneOf[language](node.enum.map((one) => JSON.stringify(one)));
  if (node.const !== undefined) return JSON.stringify(node.const);
  const known = words.takes[language];
  const range = (from?: number, to?: number) => rangeOf(from, to, language);
  const within = (from?: number, to?: number) => words.within[language](range(from, to));
  switch (node.type) {
    case 'string':
      if (node.format === 'date-time') return known.time;
      if (node.format === 'uri') return known.address(figure(node.maxLength ?? 0, language));
      return known.text(range(node.minLength, node.maxLength));
    case 'integer':
      return known.integer(within(node.minimum, node.maximum));
    case 'number':
      return known.number(within(node.minimum, node.maximum));
    case 'array':
      return known.list(range(node.minItems, node.maxItems));
    case undefined:
      return known.other;
    default:
      return JSON.stringify(exampleOf(node), undefined, 1)
        .replaceAll(/\n\s*/g, ' ')
        .replaceAll('{ ', '{')
        .replaceAll(' }', '}');
  }
}

function exampleOf(node: Node): unknown {
  if (node.example !== undefined) return node.example;
  if (node.type === 'object') {
    const parts = (node.required ?? []).map((name) => [
      name,
      exampleOf(node.properties?.[name] ?? {}),
    ]);
    return Object.fromEntries(parts);
  }
  if (node.type === 'array') return [];
  if (node.type === 'integer' || node.type === 'number') return node.minimum ?? 0;
  return node.const ?? (node.format === 'uri' ? 'https://…' : '…');
}

const figures: Record<Language, Intl.NumberFormat> = {
  id: new Intl.NumberFormat('id-ID'),
  en: new Intl.NumberFormat('en'),
};
const figure = (value: number, language: Language): string => figures[language].format(value);

function rangeOf(from: number | undefined, to: number | undefined, language: Language): string {
  if (to === undefined) return '';
  const most = figure(to, language);
  if (from === undefined || from === to) return words.atMost[language](most);
  return words.between[language](figure(from, language), most);
}

const words = {
  required: {
    id: (expected: string) => `Wajib diisi: ${expected}.`,
    en: (expected: string) => `Required: ${expected}.`,
  },
  expected: {
    id: (expected: string) => `Harus ${expected}.`,
    en: (expected: string) => `Expected ${expected}.`,
  },
  butGot: {
    id: (expected: string, got: string) => `Harus ${expected}, bukan ${got}.`,
    en: (expected: string, got: string) => `Expected ${expected}, got ${got}.`,
  },
  unknown: {
    id: (known: string) => `Isian ini tidak dikenal. Yang dikenal di sini: ${known}.`,
    en: (known: string) => `This field is not known. Known here: ${known}.`,
  },
  outside: {
    id: (name: string) => `"${name}" ditulis di luarnya, setingkat lebih tinggi.`,
    en: (name: string) => `"${name}" stands outside of it, one level up.`,
  },
  oneOf: {
    id: (all: readonly string[]) => `salah satu dari ${all.join(', ')}`,
    en: (all: readonly string[]) => `one of ${all.join(', ')}`,
  },
  atMost: {
    id: (most: string) => `paling banyak ${most}`,
    en: (most: string) => `at most ${most}`,
  },
  between: {
    id: (least: string, most: string) => `${least} sampai ${most}`,
    en: (least: string, most: string) => `${least} to ${most}`,
  },
  within: {
    id: (range: string) => (range === '' ? '' : ` ${range}`),
    en: (range: string) =>
      range === '' ? '' : ` ${range.includes(' to ') ? 'from ' : ''}${range}`,
  },
  characters: { id: 'karakter', en: 'characters' },
  takes: {
    id: {
      other: 'isi yang lain',
      text: (range: string) => (range === '' ? 'teks' : `teks ${range} karakter`),
      time: 'waktu ISO 8601 dengan zonanya, misalnya "2026-11-21T09:05:00+07:00"',
      address: (most: string) => `alamat http:// atau https://, paling panjang ${most} karakter`,
      integer: (range: string) => `bilangan bulat${range}`,
      number: (range: string) => `bilangan${range}`,
      list: (range: string) => `daftar (array) ${range} pesan`,
    },
    en: {
      other: 'another value',
      text: (range: string) => (range === '' ? 'a string' : `a string of ${range} characters`),
      time: 'an ISO 8601 time with its zone, such as "2026-11-21T09:05:00+07:00"',
      address: (most: string) => `an http:// or https:// address of at most ${most} characters`,
      integer: (range: string) => `a whole number${range}`,
      number: (range: string) => `a number${range}`,
      list: (range: string) => `an array of ${range} messages`,
    },
  },
  kinds: {
    id: {
      array: 'daftar (array)',
      boolean: 'true atau false',
      null: 'null',
      number: 'angka',
      object: 'objek',
      string: 'teks',
    },
    en: {
      array: 'an array',
      boolean: 'a boolean',
      null: 'null',
      number: 'a number',
      object: 'an object',
      string: 'a string',
    },
  },
} as const;
