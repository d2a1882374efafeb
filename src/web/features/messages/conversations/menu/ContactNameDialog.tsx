import { useQueryClient } from '@tanstack/react-query';
import { listMessages } from '#contract/messages.ts';
import { CONTACT_NAME_MAX, nameContact } from '#contract/messages/conversations.ts';
import { formatPeer, writtenPeer } from '#contract/messages/peer.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { FormActions } from '#web/ui/form/FormActions.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Stack } from '#web/ui/panel/Panel.tsx';
import { listKey } from '#web/ui/table/list/useList.ts';
import { TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = {
  peer: string;
  name: string;
  onClose: () => void;
};

const FORM = 'contact-name';

export function ContactNameDialog({ peer, name, onClose }: Props) {
  const client = useQueryClient();
  const { form, onSubmit, busy, error } = useActForm(nameContact, {
    initial: { name },
    inputOf: (values) => ({ peer: writtenPeer(peer), name: values.name }),
    onDone: (saved) => {
      for (const queryKey of [['conversations'], ['one_message'], listKey(listMessages)]) {
        void client.invalidateQueries({ queryKey });
      }
      toast(saved.name === null ? 'Nama kontak dihapus.' : 'Nama kontak disimpan.', {
        tone: 'success',
      });
      onClose();
    },
  });
  return (
    <Modal
      open
      shape="sheet"
      size="sm"
      onClose={onClose}
      title="Nama kontak"
      footer={
        <FormActions form={FORM} busy={busy} onCancel={onClose}>
          Simpan
        </FormActions>
      }
    >
      <form id={FORM} ref={form.ref} noValidate onSubmit={onSubmit}>
        <Stack>
          <RefusalAlert error={error} fields={['name']} />
          <TextField
            label={`Nama untuk ${formatPeer(peer)}`}
            name="name"
            autoComplete="off"
            maxLength={CONTACT_NAME_MAX}
            help="Terlihat oleh semua orang di akun Anda. Kosongkan untuk memakai nama yang ia tulis sendiri."
            value={form.values.name}
            error={form.errors.name}
            onChange={({ target }) => form.set('name', target.value)}
            onBlur={() => form.leave('name')}
          />
        </Stack>
      </form>
    </Modal>
  );
}
