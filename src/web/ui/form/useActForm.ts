import { useState, type FormEvent } from 'react';
import type { Act, InputFor } from '#contract/base/act.ts';
import type { AnswerOf } from '#web/api/answer.ts';
import { useAct } from '#web/api/query.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { useForm, type FieldOf, type Form, type Values } from '#web/ui/form/useForm.ts';

type Options<A extends Act, V extends Values> = {
  initial: V;
  inputOf: (values: V) => InputFor<A>;
  onDone: (answer: AnswerOf<A>, form: Form<V>) => void;
  fieldOf?: FieldOf<V>;
};

type ActForm<V extends Values> = {
  form: Form<V>;
  onSubmit: (event: FormEvent) => void;
  busy: boolean;
  /** For the `RefusalAlert` above the fields. */
  error: Error | null;
};

/** A form for one act: validated by the act's schema, one request at a time; refusals are shown at their fields. */
export function useActForm<A extends Act, V extends Values>(
  act: A,
  { initial, inputOf, onDone, fieldOf }: Options<A, V>,
): ActForm<V> {
  const { perform, busy, error } = useAct(act);
  const [isSaid, setSaid] = useState(false);
  const form = useForm(initial, (values) => fieldErrors(act, inputOf(values)));
  const onSubmit = form.submit(async (values) => {
    if (busy) return;
    try {
      onDone(await perform(inputOf(values)), form);
    } catch (no) {
      setSaid(form.refuse(no, fieldOf));
    }
  });
  return { form, onSubmit, busy, error: isSaid ? null : error };
}
