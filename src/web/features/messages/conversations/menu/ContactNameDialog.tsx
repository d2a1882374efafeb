import { useQueryClient } from '@tanstack/react-query';
import { listMessages } from '#contract/messages.ts';
import { CONTACT_NAME_MAX, nameContact } from '#contract/messages/conversations.ts';
import { formatPeer, writtenPeer } from '#contract/messages/peer.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { listKey } from '#web/ui/table/list/useList.ts';
import { TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = {
  peer: string;
  name: string;
  onClose: () => void;
};

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
    <FormModal
      formRef={form.ref}
      shape="sheet"
      size="sm"
      onClose={onClose}
      title="Nama kontak"
      submit="Simpan"
      {...{ busy, onSubmit }}
    >
      <RefusalAlert error={error} fields={['name']} />
      <TextField
        label={`Nama untuk ${formatPeer(peer)}`}
        autoComplete="off"
        maxLength={CONTACT_NAME_MAX}
        help="Terlihat oleh semua orang di akun Anda. Kosongkan untuk memakai nama yang ia tulis sendiri."
        {...form.field('name')}
      />
    </FormModal>
  );
}
