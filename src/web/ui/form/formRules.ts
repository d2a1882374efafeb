import type { FieldErrors } from '#web/ui/form/fieldErrors.ts';

/** A limit, optionally with its error message. */
type Stated<T> = T | { readonly value: T; readonly message: string };

/** A custom validator: a message or `false` rejects the value. */
type Judge<Value, Values> = (value: Value, values: Values) => string | boolean | undefined;

/** The rules of a field; named and ordered as in react-hook-form. */
export type FieldRules<Value = unknown, Values = unknown> = {
  /** A string is `true` with that message. */
  readonly required?: Stated<boolean> | string;
  /** Numbers, dates (`2026-11-21`) or times (`09:30:00`); other texts pass. */
  readonly min?: Stated<number | string>;
  readonly max?: Stated<number | string>;
  /** UTF-16 units, as the browser's own `maxlength` counts. */
  readonly minLength?: Stated<number>;
  readonly maxLength?: Stated<number>;
  readonly pattern?: Stated<RegExp>;
  /** One validator, or several by name: the name of the first that fails is reported. */
  readonly validate?: Judge<Value, Values> | Readonly<Record<string, Judge<Value, Values>>>;
};

export type RulesOf<Values> = {
  readonly [Name in keyof Values]?: FieldRules<Values[Name], Values>;
};

/** A broken rule: its name (of a validator: its key, or `validate`), and the message. */
export type Broken = { readonly rule: string; readonly message: string };

type Limit = { readonly value: number | string; readonly message: string };

function stated<T extends number | string | boolean | RegExp>(
  rule: Stated<T> | undefined,
): { value: T; message: string } | undefined {
  if (rule === undefined) return undefined;
  if (typeof rule === 'object' && 'message' in rule) return rule;
  return { value: rule, message: '' };
}

const broken = (rule: string, message: string, plain: string): Broken => ({
  rule,
  message: message || plain,
});

const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || value === false || isEmptyList(value);
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function brokenRequired(value: unknown, rule: FieldRules['required']): Broken | undefined {
  if (!rule || !isMissing(value)) return undefined;
  const required = typeof rule === 'string' ? { value: true, message: rule } : stated(rule);
  return required?.value ? broken('required', required.message, 'Wajib diisi.') : undefined;
}

const isTime = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{2}:\d{2}(?::\d{2})?$/.test(value);

/** Negative when `value` is before `limit`, positive when after; NaN when they cannot be compared. */
function distance(value: unknown, limit: number | string): number {
  if (value === undefined || value === null || Array.isArray(value)) return Number.NaN;
  if (!Number.isNaN(Number(value))) return Number(value) - Number(limit);
  if (typeof value !== 'string' || typeof limit !== 'string') return Number.NaN;
  const [one, other] =
    isTime(value) && isTime(limit)
      ? [`1970-01-01T${value}Z`, `1970-01-01T${limit}Z`]
      : [value, limit];
  return new Date(one).getTime() - new Date(other).getTime();
}

const shown = (limit: number | string): string =>
  typeof limit === 'number' ? limit.toLocaleString('id-ID') : limit;

function brokenRange(value: unknown, min?: Limit, max?: Limit): Broken | undefined {
  if (max && distance(value, max.value) > 0) {
    return broken('max', max.message, `Paling besar ${shown(max.value)}.`);
  }
  if (min && distance(value, min.value) < 0) {
    return broken('min', min.message, `Paling kecil ${shown(min.value)}.`);
  }
  return undefined;
}

type TextRules = Pick<FieldRules, 'minLength' | 'maxLength' | 'pattern'>;

function brokenText(text: string, rules: TextRules): Broken | undefined {
  const [min, max] = [stated(rules.minLength), stated(rules.maxLength)];
  if (max && text.length > max.value) {
    return broken('maxLength', max.message, `Paling banyak ${shown(max.value)} karakter.`);
  }
  if (min && text.length < min.value) {
    return broken('minLength', min.message, `Minimal ${shown(min.value)} karakter.`);
  }
  const pattern = stated(rules.pattern);
  // `search` starts at the beginning with any flags and leaves `lastIndex` alone.
  if (pattern && text.search(pattern.value) === -1) {
    return broken('pattern', pattern.message, 'Bentuknya belum sesuai.');
  }
  return undefined;
}

function brokenJudge<Value, Values>(
  value: Value,
  validate: FieldRules<Value, Values>['validate'],
  values: Values,
): Broken | undefined {
  const judges = typeof validate === 'function' ? { validate } : (validate ?? {});
  for (const [name, judge] of Object.entries(judges)) {
    const verdict = judge(value, values);
    if (typeof verdict === 'string' || verdict === false) {
      return broken(name, verdict || '', 'Periksa isian ini.');
    }
  }
  return undefined;
}

/**
 * The first rule that a value breaks, with its message: required, min and max, minLength and maxLength, pattern,
 * validate, in this order; upper limits before lower ones. An empty value is checked by `required` and `validate` only;
 * `' '` is a value, `false` and `[]` are none.
 */
export function brokenRule<Value, Values = unknown>(
  value: Value,
  rules: FieldRules<Value, Values>,
  values: Values = {} as Values,
): Broken | undefined {
  const missing = brokenRequired(value, rules.required);
  if (missing) return missing;
  const empty = value === '' || isEmptyList(value);
  const range = empty ? undefined : brokenRange(value, stated(rules.min), stated(rules.max));
  if (range) return range;
  const text = typeof value === 'string' && !empty ? brokenText(value, rules) : undefined;
  return text ?? brokenJudge(value, rules.validate, values);
}

/** One message per field that breaks a rule; empty if none does. */
export function brokenFields<Values extends object>(
  values: Values,
  rules: RulesOf<Values>,
): Record<string, string> {
  const wrong: Record<string, string> = {};
  for (const name of Object.keys(rules) as (keyof Values & string)[]) {
    const found = brokenRule(values[name], rules[name] ?? {}, values);
    if (found) wrong[name] = found.message;
  }
  return wrong;
}

/**
 * A check for `useForm`: the form's own rules, and optionally a schema. If both reject a field, the rule's message
 * wins, because it was written for this form.
 *
 * @param more further errors of the values, usually `wrongFields` of the act.
 */
export const checkWith =
  <Values extends object>(
    rules: RulesOf<Values>,
    more?: (values: Values) => FieldErrors | Promise<FieldErrors>,
  ) =>
  (values: Values): FieldErrors | Promise<FieldErrors> => {
    const broken = brokenFields(values, rules);
    const others = more?.(values) ?? {};
    if (!(others instanceof Promise)) return { ...others, ...broken };
    return others.then((wrong) => ({ ...wrong, ...broken }));
  };
