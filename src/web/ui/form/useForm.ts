import { useEffect, useRef, useState, type FormEvent, type RefObject } from 'react';
import { fieldsOf, refusalCode, sentenceOf } from '#web/api/errors.ts';
import type { RefusalCode } from '#contract/base/refusals.ts';
import type { FieldErrors } from '#web/ui/form/fieldErrors.ts';

type Value = string | number | boolean | undefined | readonly string[];
export type Values = Readonly<Record<string, Value>>;
/** Any text fits where a text was, whatever texts the schema knows. */
type Settable<V> = V extends string ? string : V extends boolean ? boolean : V;

/** The field that a refusal is about, for those that are about one. */
export type FieldOf<V extends Values> = Readonly<Partial<Record<RefusalCode, keyof V & string>>>;

export type Form<V extends Values> = {
  values: V;
  /** The sentence under each field that is wrong. */
  errors: Partial<Record<keyof V & string, string>>;
  /** Put on the `<form>`: the first wrong field in it takes the focus after a failed submit. */
  ref: RefObject<HTMLFormElement | null>;
  set: <Name extends keyof V & string>(name: Name, value: Settable<V[Name]>) => void;
  /** A field was left: what is in it is judged, and from then on while it is changed. */
  leave: (name: keyof V & string) => void;
  /** For `onSubmit`: calls back when every field is right, else shows what is wrong. */
  submit: (send: (values: V) => void | Promise<void>) => (event: FormEvent) => void;
  /** Shows what is wrong with the fields, and goes to the first of them. */
  show: (wrong: FieldErrors) => void;
  /**
   * Shows what the server said of the fields. True when the whole refusal is said of one (`fieldOf`
   * knows of which): then there is nothing left to show above the form.
   */
  refuse: (error: unknown, fieldOf?: FieldOf<V>) => boolean;
};

/**
 * A small form: fields are judged when they are left and then while they change, all of them when
 * it is sent, and those that are right then not before they are left again. What was typed stays in any case.
 *
 * @param check what is wrong with the values; may have to fetch the schema first. Rules of the
 *   fields' own come in by `checkWith(rules, schema)`.
 */
export function useForm<V extends Values>(
  initial: V,
  check: (values: V) => FieldErrors | Promise<FieldErrors>,
): Form<V> {
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [focusTurn, setFocusTurn] = useState(0);
  const judged = useRef(new Set<string>());
  const newest = useRef(values);
  const ref = useRef<HTMLFormElement>(null);

  useEffect(() => {
    if (focusTurn === 0) return;
    ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [focusTurn]);

  const judge = async (name: string) => {
    const checked = newest.current;
    // A schema that cannot be fetched now is asked for again when the form is sent.
    const wrong = await Promise.resolve(check(checked)).catch(() => undefined);
    if (!wrong || newest.current !== checked) return;
    setErrors(({ [name]: _, ...others }) => {
      const sentence = wrong[name];
      return sentence === undefined ? others : { ...others, [name]: sentence };
    });
  };

  const show = (wrong: FieldErrors) => {
    for (const name of Object.keys(wrong)) judged.current.add(name);
    setErrors(wrong);
    setFocusTurn((turn) => turn + 1);
  };

  return {
    values,
    errors: errors as Form<V>['errors'],
    ref,
    set: (name, value) => {
      newest.current = { ...newest.current, [name]: value };
      setValues(newest.current);
      if (judged.current.has(name)) void judge(name);
    },
    leave: (name) => {
      if (newest.current[name] === '') return;
      judged.current.add(name);
      void judge(name);
    },
    submit: (send) => (event) => {
      event.preventDefault();
      void (async () => {
        const wrong = await Promise.resolve(check(newest.current)).catch(() => ({}));
        if (Object.keys(wrong).length > 0) show(wrong);
        else {
          judged.current.clear();
          await send(newest.current);
        }
      })();
    },
    show,
    refuse: (error, fieldOf = {}) => {
      const code = refusalCode(error);
      const field = code && fieldOf[code];
      const wrong = field ? { [field]: sentenceOf(error) } : fieldsOf(error);
      if (Object.keys(wrong).length > 0) show(wrong);
      return field !== undefined;
    },
  };
}
