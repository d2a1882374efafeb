import { useEffect, useRef, useState, type FormEvent, type RefObject } from 'react';
import { fieldsOf, refusalCode, sentenceOf } from '#web/api/errors.ts';
import type { RefusalCode } from '#contract/base/refusals.ts';
import type { FieldErrors } from '#web/ui/form/fieldErrors.ts';

type Value = string | number | boolean | undefined | readonly string[];
export type Values = Readonly<Record<string, Value>>;
/** Any text may replace a text, even if the schema restricts it. */
type Settable<V> = V extends string ? string : V extends boolean ? boolean : V;

/** The field of each refusal that concerns a single field. */
export type FieldOf<V extends Values> = Readonly<Partial<Record<RefusalCode, keyof V & string>>>;

type TextName<V> = { [Name in keyof V & string]: V[Name] extends string ? Name : never }[keyof V &
  string];

type TextProps<Name extends string> = {
  name: Name;
  value: string;
  error: string | undefined;
  /** Takes the event of a control, or the text itself. */
  onChange: (next: string | { target: { value: string } }) => void;
  onBlur: () => void;
};

export type Form<V extends Values> = {
  values: V;
  errors: Partial<Record<keyof V & string, string>>;
  /** For the `<form>`: the first invalid field takes the focus after a failed submit. */
  ref: RefObject<HTMLFormElement | null>;
  set: <Name extends keyof V & string>(name: Name, value: Settable<V[Name]>) => void;
  /** The props of a text field or select that holds a text. */
  field: <Name extends TextName<V>>(name: Name) => TextProps<Name>;
  /** On blur: validates the field, and from then on at each change. */
  leave: (name: keyof V & string) => void;
  /** For `onSubmit`: calls `send` if all fields are valid, else shows the errors. */
  submit: (send: (values: V) => void | Promise<void>) => (event: FormEvent) => void;
  /** Shows field errors and focuses the first. */
  show: (wrong: FieldErrors) => void;
  /**
   * Shows the field errors of a refusal. True if the whole refusal belongs to one field (`fieldOf`), so that the form
   * needs no alert.
   */
  refuse: (error: unknown, fieldOf?: FieldOf<V>) => boolean;
};

/**
 * The state of a small form: a field is validated on blur and from then on at each change, all fields on submit; after
 * a submit, valid fields wait for their next blur. Input is never discarded.
 *
 * @param check returns the errors of the values; may load the schema first. Add rules by `checkWith(rules, schema)`.
 */
export function useForm<V extends Values>(
  initial: V,
  check: (values: V) => FieldErrors | Promise<FieldErrors>,
): Form<V> {
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<FieldErrors>({});
  const judged = useRef(new Set<string>());
  const newest = useRef(values);
  const ref = useRef<HTMLFormElement>(null);
  const focusInvalid = useFocusInvalid(ref);

  const judge = async (name: string) => {
    const checked = newest.current;
    // A schema that cannot be loaded now is requested again on submit.
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
    focusInvalid();
  };

  const set = (name: string, value: Value) => {
    newest.current = { ...newest.current, [name]: value };
    setValues(newest.current);
    if (judged.current.has(name)) void judge(name);
  };

  const leave = (name: string) => {
    if (newest.current[name] === '') return;
    judged.current.add(name);
    void judge(name);
  };

  return {
    values,
    errors: errors as Form<V>['errors'],
    ref,
    set,
    field: (name) => ({
      name,
      value: values[name] as string,
      error: errors[name],
      onChange: (next) => set(name, typeof next === 'string' ? next : next.target.value),
      onBlur: () => leave(name),
    }),
    leave,
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

/** Returns a function that focuses the first invalid field once the errors are rendered. */
function useFocusInvalid(form: RefObject<HTMLFormElement | null>): () => void {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (turn === 0) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form, turn]);
  return () => setTurn((before) => before + 1);
}
