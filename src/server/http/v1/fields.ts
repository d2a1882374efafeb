import * as z from 'zod/mini';
import type { Bilingual, Language } from '#contract/language/language.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { fieldNotes } from '#contract/rest/endpoint.ts';
import { refuseUnstorable } from '#server/http/input.ts';

/** The part of JSON Schema that the API's schemas are made of, with their notes. */
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
  /** How the input is called where it is wrong as a whole. */
  whole?: string;
  /** Everything in an address is text: what was given there tells nobody anything. */
  fromAddress?: boolean;
  /** Its items are read one by one, by themselves: a text in one that cannot be kept is that one's fault. */
  itemByItem?: boolean;
};

const NAMED_MAX = 20;
const roots = new WeakMap<z.ZodMiniType, Node>();

/**
 * An input of the API as its schema reads it, or the refusal `input_invalid` with one sentence per field:
 * what the field takes, by its schema, and what it got instead. Texts that cannot be kept come first. Fields that the schema does not know are
 * named too; twenty at most.
 */
export function readFields<Schema extends z.ZodMiniType>(
  schema: Schema,
  input: unknown,
  options: ReadOptions,
): z.output<Schema> | Refusal {
  const looked = options.itemByItem ? namesOf(input) : input;
  const unstorable = refuseUnstorable(looked, options.language, options.whole);
  if (unstorable) return unstorable;
  const read = schema.safeParse(input);
  if (read.success) return read.data;
  const fields = fieldErrors(schema, input, read.error.issues, options);
  return new Refusal('input_invalid', { fields });
}

/** Its names, each with nothing behind it. */
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
    // There may be as many as the input has fields: a sentence is made only for those that are named.
    if (fields.size >= NAMED_MAX) break;
    // A name in an address holds a text, whatever was read into it: that text is what is wrong.
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
  // `any`: what JSON Schema cannot say (a coercion) is left open, and takes its words from a note.
  const made = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    metadata: fieldNotes as unknown as typeof z.globalRegistry,
  }) as unknown as Node;
  roots.set(schema, made);
  return made;
}

/** The schema of one place; of a choice of shapes, the one that `input` has chosen by its `type`. */
function nodeAt(root: Node, path: Path, input: unknown): Node {
  let node = chosen(root, input);
  let value = input;
  for (const step of path) {
    value = valueAt(value, [step]);
    const { properties, additionalProperties, items } = node;
    const beneath = properties?.[String(step)] ?? items ?? additionalProperties;
    node = chosen(typeof beneath === 'object' ? beneath : {}, value);
  }
  return node;
}

/** A place that may be null, as what it is otherwise. */
function unlessNull({ anyOf, ...node }: Node): Node {
  const [other, none] = anyOf?.length === 2 ? anyOf : [];
  return none?.type === 'null' ? { ...other, ...node } : node;
}

function chosen(place: Node, value: unknown): Node {
  const node = unlessNull(place);
  if (!node.oneOf) return node;
  const type = valueAt(value, ['type']);
  const match = node.oneOf.find(({ properties }) => properties?.['type']?.const === type);
  if (match) return match;
  // No shape was chosen: all that can be said of a field is what it may be in any of them.
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
  // A rule of its own says it in its own words.
  if (issue.code === 'custom' && issue.message !== DEFAULT_MESSAGE) {
    const own = language === 'en' ? issue.params?.['en'] : issue.message;
    if (typeof own === 'string') return own;
  }
  const expected = wantedBy(node, language);
  if (given === undefined) return words.required[language](expected);
  const got = fromAddress ? undefined : gotInstead(issue, given, language);
  return got === undefined
    ? words.expected[language](expected)
    : words.butGot[language](expected, got);
}

/** What zod says where a schema says nothing. */
const DEFAULT_MESSAGE = 'Invalid input';

/** What was given, where that tells more than the caller can see: another type, or a length. */
function gotInstead(issue: Issue, given: unknown, language: Language): string | undefined {
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

/** What is known in a place; of a field that stands one place further out, such as a caption, that it does. */
function unknownField(
  name: string,
  { node, outside }: { node: Node; outside: Node },
  { language }: ReadOptions,
): string {
  const unknown = words.unknown[language](Object.keys(node.properties ?? {}).join(', '));
  const isOutside = Object.hasOwn(outside.properties ?? {}, name);
  return isOutside ? `${unknown} ${words.outside[language](name)}` : unknown;
}

/** What a place takes, in words that fit into a sentence; objects are shown by an example. */
function wantedBy(node: Node, language: Language): string {
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

/** The smallest value that a place takes, as one writes it to show it. */
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
  /** A range that follows a noun. */
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
