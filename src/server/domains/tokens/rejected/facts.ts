import type { Refusal } from '#contract/base/refusals.ts';
import type { RejectedFacts } from '#contract/tokens/rejected.ts';

const FIELDS_MAX = 5;
/** Addresses of endpoints as they are kept, where no endpoint says it. */
const PATH_MAX = 80;

/** A field as the API calls it: anything else may be a text, a number or a name of the caller's. */
const isFieldName = (name: string): boolean =>
  /^[A-Za-z][A-Za-z0-9_.-]{0,39}$/.test(name) && !/\d{5}/.test(name);

/** What is kept of a refusal: figures, and texts of ours. */
export function keptFacts({ facts }: Pick<Refusal, 'facts'>): RejectedFacts {
  const given = facts as Readonly<Record<string, unknown>>;
  const text = (name: string) => {
    const value = given[name];
    return typeof value === 'string' && value.length <= PATH_MAX ? { [name]: value } : {};
  };
  const figure = (name: string) => (typeof given[name] === 'number' ? { [name]: given[name] } : {});
  const { fields } = given;
  const names =
    typeof fields === 'object' && fields !== null
      ? Object.keys(fields)
          .slice(0, FIELDS_MAX)
          .map((name) => (isFieldName(name) ? name : '…'))
      : [];
  return {
    ...(names.length > 0 && { fields: [...new Set(names)] }),
    ...text('scope'),
    ...text('day'),
    ...text('allow'),
    ...text('what'),
    ...text('status'),
    ...figure('limit'),
    ...figure('seconds'),
    ...figure('required'),
    ...figure('available'),
  };
}

/**
 * The address that was called, as it is kept where it is no endpoint's: its words, without what may be an
 * id, a number or a key.
 */
export function keptPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  const words = path
    .split('/')
    .map((word) =>
      word === '' || /^(?:v\d{1,2}(?:\.\d)?|[A-Za-z][A-Za-z_.-]{0,23})$/.test(word) ? word : '…',
    );
  return words.join('/').slice(0, PATH_MAX);
}
