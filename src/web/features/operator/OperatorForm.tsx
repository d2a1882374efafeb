import { useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import type { Act, InputFor } from '#contract/base/act.ts';
import type { Adjustment } from '#contract/operator/books.ts';
import type { AnswerOf } from '#web/api/answer.ts';
import { useAct } from '#web/api/query.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import styles from '#web/features/operator/operator.module.css';
import { isOperatorQuery } from '#web/features/operator/operatorQuery.ts';
import { Button, type ButtonLook } from '#web/ui/button/Button.tsx';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { type Form, useForm } from '#web/ui/form/useForm.ts';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Question<A extends Act> = {
  title: string;
  text: ReactNode;
  button: string;
  tone?: 'primary' | 'danger';
  /** The toast afterwards; left out where the page shows the result. */
  said?: string | ((answer: AnswerOf<A>) => string);
  onDone?: ((answer: AnswerOf<A>) => void) | undefined;
  onError?: (error: unknown) => void;
};

/**
 * An act that is confirmed first, with the password if the act requires it. A refusal shows in the dialog; afterwards
 * every query of the operator's side is refetched.
 */
export function useConfirmedAct<A extends Act>(act: A) {
  const client = useQueryClient();
  const { perform } = useAct(act);
  return (input: InputFor<A>, { title, text, button, tone = 'primary', ...after }: Question<A>) =>
    void confirm({
      title,
      children: (
        <>
          {text}
          <PasswordQuestion of={act} />
        </>
      ),
      confirmText: button,
      tone,
      onConfirm: async () => {
        try {
          const answer = await perform(input);
          const { said, onDone } = after;
          const words = typeof said === 'function' ? said(answer) : said;
          if (words) toast(words, { tone: 'success' });
          onDone?.(answer);
        } catch (no) {
          after.onError?.(no);
          throw no;
        } finally {
          void client.invalidateQueries({ predicate: isOperatorQuery });
        }
      },
    });
}

type FormValues = Readonly<Record<string, string | boolean | undefined>>;

type Props<A extends Act, V extends FormValues> = {
  act: A;
  initial: V;
  inputOf: (values: V) => InputFor<A>;
  /** The confirmation; `danger` if the act cannot be undone. */
  question: (values: V) => { title: string; text: string; button: string; tone?: 'danger' };
  said: string | ((answer: AnswerOf<A>) => string);
  onDone: (answer: AnswerOf<A>) => void;
  reasonHelp?: string;
  /** The submit button's text, or the buttons. */
  actions: ReactNode | ((form: Form<V>) => ReactNode);
  /** The submit button's look. */
  look?: ButtonLook;
  onDirty?: (isDirty: boolean) => void;
  /** The fields above the reason. */
  children?: ReactNode | ((form: Form<V>) => ReactNode);
};

/**
 * A form that changes money, prices or people: validated with the act's own schema and confirmed before it is sent.
 * With `reason` among its values it has a field for that.
 */
export function OperatorForm<A extends Act, V extends FormValues>(props: Props<A, V>) {
  const { act, initial, inputOf, question, said, onDone, onDirty, actions, children } = props;
  const ask = useConfirmedAct(act);
  const form = useForm<V>(initial, (values) => fieldErrors(act, inputOf(values)));
  const isDirty = Object.keys(initial).some((name) => form.values[name] !== initial[name]);
  useEffect(() => onDirty?.(isDirty), [onDirty, isDirty]);
  const onSubmit = form.submit((values) =>
    ask(inputOf(values), { ...question(values), said, onDone, onError: form.refuse }),
  );
  const partOf = (part: typeof children) => (typeof part === 'function' ? part(form) : part);
  return (
    <form ref={form.ref} noValidate className={styles['form']} onSubmit={onSubmit}>
      {partOf(children)}
      {'reason' in initial && (
        <ReasonField form={form as unknown as ReasonForm} help={props.reasonHelp} />
      )}
      <div className="flex wrap justify-end gap-8">
        {typeof actions === 'string' ? (
          <Button type="submit" {...props.look}>
            {actions}
          </Button>
        ) : (
          partOf(actions)
        )}
      </div>
    </form>
  );
}

type ReasonForm = Form<{ reason: string }>;
type ReasonProps = { form: ReasonForm; help?: string | undefined };

/** The reason that the audit log stores. */
export const ReasonField = ({
  form,
  help = 'Tercatat bersama nama Anda; pelanggan tidak membacanya.',
}: ReasonProps) => (
  <TextArea
    label="Alasan"
    rows={2}
    required
    maxLength={300}
    help={help}
    {...form.field('reason')}
  />
);

type TransferProps = {
  form: Form<{ reference: string; payee: string }>;
  payeeHelp: string;
};

export const TransferFields = ({ form, payeeHelp }: TransferProps) => (
  <>
    <TextField
      label="Referensi transfer dari bank"
      required
      autoComplete="off"
      maxLength={100}
      help="Transfer dulu di bank, lalu tulis referensinya. Satu referensi hanya untuk satu pencairan."
      {...form.field('reference')}
    />
    <TextField
      label="Nama pemilik rekening tujuan"
      required
      autoComplete="off"
      maxLength={100}
      help={payeeHelp}
      {...form.field('payee')}
    />
  </>
);

/** Whether an adjustment was booked or waits for a second operator. */
export const proposalResult = ({ status }: Adjustment): string =>
  status === 'pending'
    ? 'Usulan dicatat. Operator lain harus menyetujuinya sebelum dibukukan.'
    : 'Sudah dibukukan.';
