/**
 * Variables of a message to many: `{nama}` is filled with the recipient's own, `{nama|Kak}` with *Kak* where the list
 * has nothing for them. Names are those of the list's columns, in any case; a brace that begins no variable stays.
 */
const variable = /\{\s*([\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,39}?)\s*(?:\|([^{}|]{0,100}))?\}/gu;

/** A column's name as variables are compared: in lower case, blanks as one. */
export const variableKey = (name: string): string => name.trim().toLowerCase().replace(/\s+/g, ' ');

/** What a text is filled with: by column, under its `variableKey`. */
export type VariableValues = ReadonlyMap<string, string>;

/** The variables of a text, each once: those that have something to fall back on need no value. */
export function variablesIn(text: string): readonly { key: string; needed: boolean }[] {
  const found = new Map<string, boolean>();
  for (const [, name = '', fallback] of text.matchAll(variable)) {
    const key = variableKey(name);
    found.set(key, (found.get(key) ?? false) || fallback === undefined);
  }
  return [...found].map(([key, needed]) => ({ key, needed }));
}

/** A text with its variables filled in; one that has neither value nor fallback is left out. */
export const fillVariables = (text: string, values: VariableValues): string =>
  text.replace(variable, (_whole, name: string, fallback: string | undefined) => {
    const value = values.get(variableKey(name)) ?? '';
    return value === '' ? (fallback ?? '') : value;
  });
