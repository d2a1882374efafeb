import { useQueryClient } from '@tanstack/react-query';
import { addOptout, listOptouts, OPTOUT_REASON_MAX } from '#contract/messages/optouts.ts';
import type { Token } from '#contract/tokens.ts';
import styles from '#web/features/messages/optouts/OptoutsPage.module.css';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { HomeTelephoneField } from '#web/ui/phone/TelephoneField.tsx';
import { realNumber } from '#web/ui/phone/telephoneReal.ts';
import { listKey } from '#web/ui/table/list/useList.ts';
import { TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = { open: boolean; token: Token; onClose: () => void };

/** Stops messages of a token to a number, with the reason. */
export const AddOptout = ({ open, token, onClose }: Props) => (
  <Modal open={open} onClose={onClose} title={`Hentikan pesan dari ${token.name}`} size="sm">
    {open && <StopForm token={token} onClose={onClose} />}
  </Modal>
);

function StopForm({ token, onClose }: Omit<Props, 'open'>) {
  const client = useQueryClient();
  const { form, onSubmit, busy, error } = useActForm(addOptout, {
    initial: { peer: '', reason: '' },
    inputOf: ({ peer, reason }) => ({ token_id: token.id, peer: `+${peer}`, reason }),
    onDone: () => {
      void client.invalidateQueries({ queryKey: listKey(listOptouts) });
      toast('Nomor ini tidak akan menerima pesan lagi.', { tone: 'success' });
      onClose();
    },
  });
  return (
    <form ref={form.ref} noValidate className={styles['form']} onSubmit={onSubmit}>
      <RefusalAlert error={error} fields={['peer', 'reason']} />
      <HomeTelephoneField
        label="Nomor"
        required
        verify={realNumber}
        autoComplete="off"
        value={form.values.peer}
        error={form.errors.peer}
        onChange={(digits) => form.set('peer', digits)}
        onBlur={() => form.leave('peer')}
      />
      <TextField
        label="Alasan"
        required
        autoComplete="off"
        maxLength={OPTOUT_REASON_MAX}
        placeholder="Meminta lewat telepon"
        value={form.values.reason}
        error={form.errors.reason}
        onChange={({ target }) => form.set('reason', target.value)}
        onBlur={() => form.leave('reason')}
      />
      <div className={styles['actions']}>
        <Button variant="outline" tone="neutral" onClick={onClose}>
          Batal
        </Button>
        <Button type="submit" tone="danger" busy={busy}>
          Hentikan
        </Button>
      </div>
    </form>
  );
}
