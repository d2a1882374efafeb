import type { ReactNode } from 'react';
import { Button } from '#web/ui/button/Button.tsx';

type Props = {
  /** The id of the form that is sent. */
  form: string;
  /** While it is being sent. */
  busy: boolean;
  onCancel: () => void;
  /** For what cannot be taken back. */
  tone?: 'danger';
  /** What sending it does, as a verb. */
  children: ReactNode;
};

/** The buttons below a dialog's form: leave it, or send it. */
export const FormActions = ({ form, busy, onCancel, tone, children }: Props) => (
  <>
    <Button variant="outline" tone="neutral" onClick={onCancel}>
      Batal
    </Button>
    <Button type="submit" form={form} {...(tone && { tone })} busy={busy}>
      {children}
    </Button>
  </>
);
