import { GraphError } from '#tests/support/meta/errors.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const invalid = (details: string) => new GraphError(131_009, { details });
export const missing = (details: string) => new GraphError(131_008, { details });

/** @throws GraphError 131008 if it is missing, 131009 if it is no object. */
export function objectIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  if (value === undefined || value === null) throw missing(`The parameter ${name} is required.`);
  if (!isFields(value)) throw invalid(`Param ${name} must be a JSON object.`);
  return value;
}

/** @throws GraphError 131008 if it is missing, 131009 if it is no list of objects. */
export function listIn(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  if (value === undefined) throw missing(`The parameter ${name} is required.`);
  if (!Array.isArray(value) || !value.every(isFields)) {
    throw invalid(`Param ${name} must be a list of JSON objects.`);
  }
  return value;
}

/**
 * A text of limited length, in UTF-16 units.
 * @throws GraphError 131008 if it is missing or empty, 131009 if it is no text, 100 if it is longer.
 */
export function textIn(fields: Fields, name: string, max: number): string {
  const value = fields[name];
  if (value === undefined || value === '') throw missing(`The parameter ${name} is required.`);
  if (typeof value !== 'string') throw invalid(`Param ${name} must be a string.`);
  if (value.length > max) {
    throw new GraphError(100, {
      message: `Param ${name} must be at most ${max} characters long.`,
      details: `Param ${name} must be at most ${max} characters long.`,
    });
  }
  return value;
}

export function optionalTextIn(fields: Fields, name: string, max: number): void {
  if (fields[name] !== undefined && fields[name] !== '') textIn(fields, name, max);
}
