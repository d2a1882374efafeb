import * as z from 'zod/mini';
import type { Bilingual, Language } from '#contract/language/language.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { fieldNotes } from '#contract/rest/endpoint.ts';
import { refuseUnstorable } from '#server/http/input.ts';

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
