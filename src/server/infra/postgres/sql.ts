import { createHash } from 'node:crypto';
import { Json, type Parameter, declaredType } from './driver/values.ts';

/** One row, by column. */
// oxlint-disable-next-line typescript/no-explicit-any -- a row without a declared type, as read.
export type Row = Record<string, any>;

/** The rows of a statement, how many it returned or changed, and the command's tag. */
export class Rows<T> extends Array<T> {
  /** What `map` and `filter` make is a plain array. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
  #count = 0;
  #command = '';
  get count(): number {
    return this.#count;
  }
  /** `SELECT`, `INSERT`, …, `COMMIT`. */
  get command(): string {
    return this.#command;
  }
  /** Reads the tag that ends a statement, such as `INSERT 0 3`. */
  complete(tag: string): void {
    const [command = '', ...numbers] = tag.split(' ');
    this.#command = command;
    this.#count = Number(numbers.at(-1) ?? 0);
  }
}

/** What a statement is awaited as: its rows, with their count. */
export type Result<T extends readonly object[]> = T & { readonly count: number };

/** A statement as it is sent: its text, with `$1`, `$2`, … for the values. */
export type Compiled = {
  text: string;
  /** The name it is prepared under: the same for the same text and declared types. */
  name: string;
  /** Object ids of the types that are declared with it; 0 where the server infers them. */
  types: readonly number[];
  values: readonly unknown[];
};

/** Runs a compiled statement. */
export type Run = (compiled: Compiled) => Promise<Rows<Row>>;

/** A statement: runs, once, when it is awaited; is a fragment when it is spliced into another. */
export class Statement<T extends readonly object[] = Row[]> implements Promise<Result<T>> {
  readonly [Symbol.toStringTag] = 'Statement';
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  readonly #run: Run;
  #result: Promise<Result<T>> | undefined;

  constructor(strings: readonly string[], values: readonly unknown[], run: Run) {
    this.strings = strings;
    this.values = values;
    this.#run = run;
  }
  #start(): Promise<Result<T>> {
    this.#result ??= this.#run(compile(this)) as unknown as Promise<Result<T>>;
    return this.#result;
  }
  // oxlint-disable-next-line unicorn/no-thenable -- awaiting a statement is what runs it.
  then<A = Result<T>, B = never>(
    done?: ((result: Result<T>) => A | PromiseLike<A>) | null,
    failed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    // oxlint-disable-next-line promise/no-callback-in-promise -- a promise's own `then`.
    return this.#start().then(done, failed);
  }
  catch<B = never>(
    failed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<Result<T> | B> {
    return this.#start().catch(failed);
  }
  finally(done?: (() => void) | null): Promise<Result<T>> {
    return this.#start().finally(done);
  }
}

/** A piece of a statement, meant to be spliced into another. */
export type Fragment = Pick<Statement, 'strings' | 'values'>;

/** The tag of statements: values become parameters, fragments become part of the text. */
export type Tag = <T extends readonly object[] = Row[]>(
  strings: TemplateStringsArray,
  ...values: readonly (Parameter | Fragment)[]
) => Statement<T>;

/** Makes the tag of statements that run as `run` says. */
export const createTag =
  (run: Run): Tag =>
  (strings, ...values) =>
    new Statement(strings, values, run);

/** Marks a value as JSON: an object, an array, a text that shall be a JSON string. */
export const json = (value: unknown): Json => new Json(value);

const notRun = () => Promise.reject(new Error('a fragment is no statement'));
const identifiers = new Map<string, Fragment>();

/** The quoted name of a table or column, for a name that is only known when the statement is made. */
export function identifier(name: string): Fragment {
  const quoted = name.split('.').map((part) => `"${part.replaceAll('"', '""')}"`);
  const known = identifiers.get(name) ?? new Statement([quoted.join('.')], [], notRun);
  identifiers.set(name, known);
  return known;
}

type Prepared = Omit<Compiled, 'values'>;
const byStrings = new WeakMap<readonly string[], Map<string, Prepared>>();
/** Texts put together from fragments; forgotten when there are too many, which only costs hashing. */
const byText = new Map<string, Map<string, Prepared>>();
const TEXTS_MAX = 5_000;

/** Text, name and values of a statement; its text is hashed once for each place it is written at. */
function compile({ strings, values }: Fragment): Compiled {
  if (values.some((value) => value instanceof Statement)) return compileNested({ strings, values });
  let variants = byStrings.get(strings);
  if (!variants) byStrings.set(strings, (variants = new Map()));
  const types = declaredTypes(values);
  const prepared = variants.get(types) ?? prepare(joinStrings(strings), types, values);
  variants.set(types, prepared);
  return { ...prepared, values };
}

function compileNested(fragment: Fragment): Compiled {
  const values: unknown[] = [];
  const text = splice(fragment, values);
  let variants = byText.get(text);
  if (byText.size > TEXTS_MAX) byText.clear();
  if (!variants) byText.set(text, (variants = new Map()));
  const types = declaredTypes(values);
  const prepared = variants.get(types) ?? prepare(text, types, values);
  variants.set(types, prepared);
  return { ...prepared, values };
}

/** The text of a fragment; its values are added to those before it. */
function splice(fragment: Fragment, values: unknown[]): string {
  let text = fragment.strings[0] ?? '';
  fragment.values.forEach((value, at) => {
    text += value instanceof Statement ? splice(value, values) : `$${values.push(value)}`;
    text += fragment.strings[at + 1] ?? '';
  });
  return text;
}

const joinStrings = (strings: readonly string[]): string =>
  strings.reduce((text, piece, at) => (at === 0 ? piece : `${text}$${at}${piece}`), '');

/** Which values declare their type, as a key: most statements have none. */
function declaredTypes(values: readonly unknown[]): string {
  let key = '';
  for (let at = 0; at < values.length; at++) {
    const type = declaredType(values[at]);
    if (type !== 0) key += `${at}:${type} `;
  }
  return key;
}

function prepare(text: string, types: string, values: readonly unknown[]): Prepared {
  const hash = createHash('sha256').update(`${types}\0${text}`).digest('base64url');
  return { text, name: `k${hash.slice(0, 21)}`, types: values.map(declaredType) };
}
