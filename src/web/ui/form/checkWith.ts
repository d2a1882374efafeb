import type { FieldErrors } from '#web/ui/form/fieldErrors.ts';
import { brokenFields, type RulesOf } from '#web/ui/form/formRules.ts';

/**
 * A check for `useForm` by rules of the form's own, and by a schema when one is given as well.
 * Where both find fault with a field, the rule's sentence is reported: it was written for this form.
 *
 * @param more what else is wrong with the values, most often `wrongFields` of the act they are for.
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
