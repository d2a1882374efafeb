import type { SavedWebhook, Webhook } from '#contract/webhooks.ts';
import { useWebhookForm, WebhookForm } from '#web/features/webhooks/manage/WebhookForm.tsx';
import { FormActions } from '#web/ui/form/FormActions.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';

type Props = {
  webhook: Webhook;
  onClose: () => void;
  onSaved: (saved: SavedWebhook) => void;
};

const FORM = 'webhook';

/** Edits the address, format or events. If the new address does not answer, the old one stays. */
export function EditDialog({ webhook, onClose, onSaved }: Props) {
  const saving = useWebhookForm(webhook.token_id, webhook, onSaved);
  return (
    <Modal
      open
      onClose={() => saving.busy || onClose()}
      title="Ubah webhook"
      size="lg"
      footer={
        <FormActions form={FORM} busy={saving.busy} onCancel={onClose}>
          Simpan perubahan
        </FormActions>
      }
    >
      <WebhookForm id={FORM} {...saving} />
    </Modal>
  );
}
