import { type Compiled, Template, compile } from './driver/compile.ts';
import type { Row, Rows } from './driver/rows.ts';
import { Json, type Parameter } from './driver/values.ts';

export type Result<T extends readonly object[]> = T & { readonly count: number };

export type Run = (compiled: Compiled) => Promise<Rows<Row>>;

/** A statement: runs once, when it is awaited; is a fragment when spliced into another. */
export class Statement<T extends readonly object[] = Row[]>
  extends Template
  implements Promise<Result<T>>
{
  readonly [Symbol.toStringTag] = 'Statement';
  readonly #run: Run;
  #result: Promise<Result<T>> | undefined;

  constructor(strings: readonly string[], values: readonly unknown[], run: Run) {
    super(strings, values);
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

export type Fragment = Template;

/** The tag of statements: values become parameters, fragments become part of the text. */
export type Tag = <T extends readonly object[] = Row[]>(
  strings: TemplateStringsArray,
  ...values: readonly (Parameter | Fragment)[]
) => Statement<T>;

export const createTag =
  (run: Run): Tag =>
  (strings, ...values) =>
    new Statement(strings, values, run);

/** Marks a value as JSON: an object, an array, or a text to be stored as a JSON string. */
export const json = (value: unknown): Json => new Json(value);

/** Escapes a text for a pattern of `like`. */
export const likeText = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

const notRun = () => Promise.reject(new Error('a fragment is no statement'));
const identifiers = new Map<string, Fragment>();

/** The quoted name of a table or column that is only known at run time. */
export function identifier(name: string): Fragment {
  const quoted = name.split('.').map((part) => `"${part.replaceAll('"', '""')}"`);
  const known = identifiers.get(name) ?? new Statement([quoted.join('.')], [], notRun);
  identifiers.set(name, known);
  return known;
}
