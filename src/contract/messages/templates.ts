import * as z from 'zod/mini';
import { type Output, schema } from '#contract/base/schema.ts';

export const TEMPLATE_LIMITS = {
  /** Of an account, each language counted. */
  all: 250,
  name: 100,
  body: 1024,
  header: 60,
  footer: 60,
  buttons: 10,
  button: 25,
  /** Variables in a body. */
  variables: 30,
  /** The text in place of a variable. */
  variable: 1024,
} as const;

/** What a template may be called. */
export const templateName = /^[a-z0-9_]{1,100}$/;

/** Approved templates alone can be sent. */
export const TemplateStatus = schema(() => z.enum(['approved', 'pending', 'rejected']));
export type TemplateStatus = Output<typeof TemplateStatus>;

export const TemplateCategory = schema(() => z.enum(['utility', 'marketing', 'authentication']));
export type TemplateCategory = Output<typeof TemplateCategory>;

const variable = /\{\{\s*([A-Za-z0-9_]{1,40})\s*\}\}/g;

/** The variables of a text, each once, in the order in which it names them: `1`, `2`, or words. */
export const variablesOf = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(variable)].map(([, name = '']) => name)),
];

/**
 * A text with its variables filled in.
 *
 * @param values one for each of `variablesOf(text)`, in that order. Numbered ones go by their number: the
 *   first value is that of the lowest.
 */
export function fillTemplate(text: string, values: readonly string[]): string {
  const names = variablesOf(text);
  const ordered = names.every((name) => /^\d+$/.test(name))
    ? names.toSorted((a, b) => Number(a) - Number(b))
    : names;
  const byName = new Map(ordered.map((name, index) => [name, values[index] ?? '']));
  return text.replace(variable, (_, name: string) => byName.get(name) ?? '');
}
