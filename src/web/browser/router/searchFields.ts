/** Reads one query field; `undefined` for invalid values. */
type Reader<T> = (value: unknown) => T | undefined;
export type Readers = Readonly<Record<string, Reader<unknown>>>;
export type SearchOf<R extends Readers> = {
  [K in keyof R]?: Exclude<ReturnType<R[K]>, undefined> | undefined;
};

export const text: Reader<string> = (value) =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Texts that are not empty, `name[]` in the address; without brackets a list of one. */
export const texts: Reader<readonly string[]> = (value) => {
  const found = [value].flat().filter((one) => typeof one === 'string' && one !== '');
  return found.length > 0 ? (found as string[]) : undefined;
};

/** A whole number from 0. */
export const whole: Reader<number> = (value) => {
  const digits = typeof value === 'number' ? String(value) : value;
  return typeof digits === 'string' && /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
};

export const oneOf =
  <const Words extends readonly string[]>(words: Words): Reader<Words[number]> =>
  (value) =>
    words.find((word) => word === value);

/** A civil date, `YYYY-MM-DD`. */
export const date: Reader<string> = (value) =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined;

/**
 * Makes the query reader of a route. It ignores unknown and invalid fields, so that an old or broken link opens the
 * page instead of an error.
 */
export const searchFields =
  <R extends Readers>(readers: R) =>
  (search: Record<string, unknown>): SearchOf<R> => {
    const found: Record<string, unknown> = {};
    for (const [name, read] of Object.entries(readers)) {
      const value = read(search[name]);
      if (value !== undefined) found[name] = value;
    }
    return found as SearchOf<R>;
  };

/** The query fields of all lists; `page` counts as the list's paging does. */
export const listFields = {
  page: whole,
  sort_by: text,
  sort_type: oneOf(['asc', 'desc']),
} as const;
