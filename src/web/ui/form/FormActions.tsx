import type { ReactNode } from 'react';
import { Button } from '#web/ui/button/Button.tsx';

type Props = {
  form: string;
  busy: boolean;
  onCancel: () => void;
  tone?: 'danger';
  children: ReactNode;
};

export const FormActions = ({ form, busy, onCancel, tone, children }: Props) => (
  <>
    <Button variant="outline" onClick={onCancel}>
      Batal
    </Button>
    {children && (
      <Button type="submit" form={form} {...(tone && { tone })} busy={busy}>
        {children}
      </Button>
    )}
  </>
);
