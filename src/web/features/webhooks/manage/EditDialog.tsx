import type { SavedWebhook, Webhook } from '#contract/webhooks/webhook.ts';
import { WebhookForm } from '#web/features/webhooks/manage/WebhookForm.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';

type Props = {
  webhook: Webhook;
  onClose: () => void;
  onSaved: (saved: SavedWebhook) => void;
};

/** Another address, shape or choice of events. An address that does not answer leaves the one that works. */
export const EditDialog = ({ webhook, onClose, onSaved }: Props) => (
  <Modal open onClose={onClose} title="Ubah webhook" size="lg">
    <WebhookForm tokenId={webhook.token_id} webhook={webhook} onSaved={onSaved} />
  </Modal>
);
