import { useId, type ReactNode } from 'react';
import { addOptout, OPTOUT_REASON_MAX, type Optout } from '#contract/messages/optouts.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { FormActions } from '#web/ui/form/FormActions.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import type { Form } from '#web/ui/form/useForm.ts';
import { Row, Stack } from '#web/ui/panel/Panel.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Values = { peer: string; reason: string };

type Props = {
  tokenId: string;
  /** The number as written, with its plus; just the plus if the children ask for it. */
  peer: string;
  /** Above the reason: an explanation, or the field `peer` for the number. */
  children: ReactNode | ((form: Form<Values>) => ReactNode);
  onStopped: (optout: Optout) => void;
  onClose: () => void;
};

export function StopForm({ tokenId, peer, children, onStopped, onClose }: Props) {
  const id = useId();
  const { form, onSubmit, busy, error } = useActForm(addOptout, {
    initial: { peer, reason: '' },
    inputOf: (values) => ({ token_id: tokenId, ...values }),
    onDone: (optout) => {
      onStopped(optout);
      toast('Nomor ini tidak akan menerima pesan lagi.', { tone: 'success' });
      onClose();
    },
  });
  return (
    <form id={id} ref={form.ref} noValidate onSubmit={onSubmit}>
      <Stack>
        <RefusalAlert error={error} fields={['peer', 'reason']} />
        {typeof children === 'function' ? children(form) : children}
        <TextField
          label="Alasan"
          required
          autoComplete="off"
          maxLength={OPTOUT_REASON_MAX}
          placeholder="Meminta lewat telepon"
          {...form.field('reason')}
        />
        <Row end>
          <FormActions form={id} busy={busy} onCancel={onClose} tone="danger">
            Tandai berhenti
          </FormActions>
        </Row>
      </Stack>
    </form>
  );
}
