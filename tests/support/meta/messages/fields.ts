import { GraphError } from '#tests/support/meta/errors.ts';

/** A JSON object whose fields are still to be checked. */
export type Fields = Readonly<Record<string, unknown>>;

/** A JSON object. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value that Meta does not take. */
export const invalid = (details: string) => new GraphError(131_009, { details });
/** A parameter that is not there. */
export const missing = (details: string) => new GraphError(131_008, { details });

/** @throws GraphError 131008 when it is missing, 131009 when it is no object. */
export function objectIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  if (value === undefined || value === null) throw missing(`The parameter ${name} is required.`);
  if (!isFields(value)) throw invalid(`Param ${name} must be a JSON object.`);
  return value;
}

/** @throws GraphError 131008 when it is missing, 131009 when it is no list of objects. */
export function listIn(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  if (value === undefined) throw missing(`The parameter ${name} is required.`);
  if (!Array.isArray(value) || !value.every(isFields)) {
    throw invalid(`Param ${name} must be a list of JSON objects.`);
  }
  return value;
}

/**
 * A text of a length, in UTF-16 units.
 *
 * @throws GraphError 131008 when it is missing or empty, 131009 when it is no text, 100 when it is longer.
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

/** As `textIn`, where it may be left out. */
export function optionalTextIn(fields: Fields, name: string, max: number): void {
  if (fields[name] !== undefined && fields[name] !== '') textIn(fields, name, max);
}
