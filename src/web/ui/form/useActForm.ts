import { useState, type FormEvent } from 'react';
import type { Act, InputFor } from '#contract/base/act.ts';
import type { AnswerOf } from '#web/api/answer.ts';
import { useAct } from '#web/api/query.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { useForm, type FieldOf, type Form, type Values } from '#web/ui/form/useForm.ts';

type Sending = {
  onSubmit: (event: FormEvent) => void;
  busy: boolean;
  /** For the `RefusalAlert` above the fields. */
  error: unknown;
  setError: (error: unknown) => void;
};

/** Sends a form, one time at once; refusals are shown at their fields, all other errors in `error`. */
export function useSend<V extends Values>(
  form: Form<V>,
  send: (values: V) => unknown,
  fieldOf?: FieldOf<V>,
): Sending {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const onSubmit = form.submit(async (values) => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await send(values);
    } catch (no) {
      setError(form.refuse(no, fieldOf) ? undefined : no);
    } finally {
      setBusy(false);
    }
  });
  return { onSubmit, busy, error, setError };
}

type Options<A extends Act, V extends Values> = {
  initial: V;
  inputOf: (values: V) => InputFor<A>;
  onDone: (answer: AnswerOf<A>, form: Form<V>) => void;
  fieldOf?: FieldOf<V>;
};

/** A form for one act, validated by the act's schema. */
export function useActForm<A extends Act, V extends Values>(
  act: A,
  { initial, inputOf, onDone, fieldOf }: Options<A, V>,
): Sending & { form: Form<V> } {
  const { perform } = useAct(act);
  const form = useForm(initial, (values) => fieldErrors(act, inputOf(values)));
  const send = async (values: V) => onDone(await perform(inputOf(values)), form);
  return { form, ...useSend(form, send, fieldOf) };
}
