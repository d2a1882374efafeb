import type { FormEvent, ReactNode } from 'react';
import styles from '#web/features/operator/form/form.module.css';
import type { Form } from '#web/ui/form/useForm.ts';
import { TextArea } from '#web/ui/text/TextField.tsx';

type Props = {
  form: Form<{ reason: string }>;
  onSubmit: (event: FormEvent) => void;
  reasonHelp?: string;
  actions: ReactNode;
  children?: ReactNode;
};

export const OperatorForm = ({
  form,
  onSubmit,
  reasonHelp = 'Tercatat bersama nama Anda; pelanggan tidak membacanya.',
  actions,
  children,
}: Props) => (
  <form ref={form.ref} noValidate className={styles['form']} onSubmit={onSubmit}>
    {children}
    <TextArea
      label="Alasan"
      name="reason"
      rows={2}
      required
      maxLength={300}
      help={reasonHelp}
      value={form.values.reason}
      error={form.errors.reason}
      onChange={(event) => form.set('reason', event.target.value)}
      onBlur={() => form.leave('reason')}
    />
    <div className={styles['actions']}>{actions}</div>
  </form>
);
