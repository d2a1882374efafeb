import { createHash } from 'node:crypto';
import { declaredType } from './values.ts';

export type Compiled = {
  text: string;
  name: string;
  /** Object ids of the declared types; 0 if the server infers them. */
  types: readonly number[];
  values: readonly unknown[];
};

/** A tagged template: part of a statement, meant to be spliced into another. */
export class Template {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }
}

type Prepared = Omit<Compiled, 'values'>;
const byStrings = new WeakMap<readonly string[], Map<string, Prepared>>();
/** Texts composed of fragments; cleared when there are too many, which only costs hashing. */
const byText = new Map<string, Map<string, Prepared>>();
const TEXTS_MAX = 5_000;

/** Text, name and values of a statement; its text is hashed once per place in the source. */
export function compile({ strings, values }: Template): Compiled {
  if (values.some((value) => value instanceof Template)) return compileNested({ strings, values });
  let variants = byStrings.get(strings);
  if (!variants) byStrings.set(strings, (variants = new Map()));
  return variantOf(variants, values, () => joinStrings(strings));
}

function compileNested(fragment: Template): Compiled {
  const values: unknown[] = [];
  const text = splice(fragment, values);
  if (byText.size > TEXTS_MAX) byText.clear();
  let variants = byText.get(text);
  if (!variants) byText.set(text, (variants = new Map()));
  return variantOf(variants, values, () => text);
}

function variantOf(
  variants: Map<string, Prepared>,
  values: readonly unknown[],
  text: () => string,
): Compiled {
  const types = declaredTypes(values);
  let prepared = variants.get(types);
  if (!prepared) variants.set(types, (prepared = prepare(text(), types, values)));
  return { ...prepared, values };
}

function splice(fragment: Template, values: unknown[]): string {
  let text = fragment.strings[0] ?? '';
  fragment.values.forEach((value, at) => {
    text += value instanceof Template ? splice(value, values) : `$${values.push(value)}`;
    text += fragment.strings[at + 1] ?? '';
  });
  return text;
}

const joinStrings = (strings: readonly string[]): string =>
  strings.reduce((text, piece, at) => (at === 0 ? piece : `${text}$${at}${piece}`), '');

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
