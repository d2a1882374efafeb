import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import type { Act, InputFor } from '#contract/base/act.ts';
import type { AnswerOf } from '#web/api/answer.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { type Form, useForm } from '#web/ui/form/useForm.ts';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { toast } from '#web/ui/toast/toasts.ts';

type Options<A extends Act, V> = {
  initial: V;
  inputOf: (values: V) => InputFor<A>;
  /** The confirmation: its title, text and button; `danger` as the form's own. */
  question: (values: V) => { title: string; text: string; button: string; tone?: 'danger' };
  said: (answer: AnswerOf<A>) => string;
  onDone: (answer: AnswerOf<A>) => void;
};

/**
 * A form that changes money or prices: validated with the act's own schema and confirmed before it is sent; afterwards
 * every query of the operator's side is refetched.
 */
export function useOperatorForm<
  A extends Act,
  V extends Readonly<Record<string, string | boolean | undefined>>,
>(
  act: A,
  { initial, inputOf, question, said, onDone }: Options<A, V>,
): { form: Form<V>; onSubmit: (event: FormEvent) => void } {
  const client = useQueryClient();
  const change = useAct(act);
  const form = useForm<V>(initial, (values) => fieldErrors(act, inputOf(values)));
  const send = async (values: V) => {
    try {
      const answer = await change.perform(inputOf(values));
      toast(said(answer), { tone: 'success' });
      onDone(answer);
    } catch (no) {
      form.refuse(no);
      throw no;
    } finally {
      void client.invalidateQueries({ predicate: isOperatorQuery });
    }
  };
  const onSubmit = form.submit((values) => {
    const { title, text, button, tone = 'primary' } = question(values);
    void confirm({
      title,
      children: (
        <>
          {text}
          <PasswordQuestion of={act} />
        </>
      ),
      cancelText: 'Batal',
      confirmText: button,
      tone,
      sentenceOf,
      onConfirm: () => send(values),
    });
  });
  return { form, onSubmit };
}

export const isOperatorQuery = ({ queryKey }: { queryKey: readonly unknown[] }): boolean =>
  String(queryKey[0]).startsWith('operator_');
