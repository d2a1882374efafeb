import type { FieldErrors } from '#web/ui/form/fieldErrors.ts';
import { brokenFields, type RulesOf } from '#web/ui/form/formRules.ts';

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
