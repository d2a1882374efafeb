import { EllipsisVertical, PowerOff, RotateCcwKey, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { formatDateTime } from '#contract/base/time.ts';
import {
  deleteWebhook,
  rotateWebhookSecret,
  type Webhook,
  type WebhookFormat,
} from '#contract/webhooks.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import { rotationNote } from '#web/features/webhooks/manage/rotation.ts';
import { SecretDialog } from '#web/features/webhooks/manage/SecretDialog.tsx';
import { useWebhookChanged } from '#web/features/webhooks/queries.ts';
import styles from '#web/features/webhooks/webhooks.module.css';
import { Button } from '#web/ui/button/Button.tsx';
import { Dropdown, MenuButton, MenuSeparator } from '#web/ui/menu/Dropdown.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import type { Question } from '#web/ui/overlay/ConfirmDialog.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = { webhook: Webhook; onOff: () => void };

type Rotated = { webhook: Webhook; secret: string };

export function WebhookMenu({ webhook, onOff }: Props) {
  const { token_id, state, format } = webhook;
  const { timezone } = useUser();
  const [rotated, setRotated] = useState<Rotated>();
  const changed = useWebhookChanged(token_id);
  const rotate = useAct(rotateWebhookSecret);
  const remove = useAct(deleteWebhook);
  const ask = (words: Question, onConfirm: () => void | Promise<void>) =>
    confirm({ cancelText: 'Batal', sentenceOf, ...words, onConfirm });
  const askRotate = () =>
    ask(rotateWords(format), async () => setRotated(await rotate.perform({ token_id })));
  const askRemove = async () => {
    const gone = await ask(removeWords, async () => {
      await remove.perform({ token_id });
    });
    if (!gone) return;
    changed(null);
    toast('Webhook dihapus.', { tone: 'success' });
  };
  const until = rotated?.webhook.previous_secret_until;
  return (
    <>
      <Dropdown
        label="Tindakan webhook"
        align="end"
        trigger={(trigger) => (
          <Button {...trigger} variant="outline" tone="neutral" square aria-label="Tindakan lain">
            <EllipsisVertical size={18} aria-hidden="true" />
          </Button>
        )}
      >
        <MenuButton icon={<RotateCcwKey size={18} />} onClick={() => void askRotate()}>
          Ganti kunci
        </MenuButton>
        {state === 'on' && (
          <MenuButton icon={<PowerOff size={18} />} onClick={() => void ask(offWords, onOff)}>
            Matikan
          </MenuButton>
        )}
        <MenuSeparator />
        <MenuButton icon={<Trash2 size={18} />} tone="danger" onClick={() => void askRemove()}>
          Hapus webhook
        </MenuButton>
      </Dropdown>
      {rotated && (
        <SecretDialog
          title="Kunci webhook baru"
          secret={rotated.secret}
          onClose={() => {
            changed(rotated.webhook);
            setRotated(undefined);
          }}
        >
          {until && (
            <p className={styles['text']}>
              Kunci lama berlaku sampai {formatDateTime(until, timezone)}. {rotationNote(format)}
            </p>
          )}
        </SecretDialog>
      )}
    </>
  );
}

const rotateWords = (format: WebhookFormat): Question => ({
  title: 'Ganti kunci webhook?',
  children: (
    <>
      <p>Kunci baru ditampilkan sekali. {rotationNote(format)}</p>
      <PasswordQuestion of={rotateWebhookSecret} />
    </>
  ),
  confirmText: 'Ganti kunci',
  tone: 'primary',
});

const offWords: Question = {
  title: 'Matikan webhook?',
  children: (
    <p>
      Tidak ada peristiwa yang dikirim sampai dinyalakan lagi. Peristiwa yang terjadi selama mati
      tidak dikirim kemudian.
    </p>
  ),
  confirmText: 'Matikan',
  tone: 'primary',
};

const removeWords: Question = {
  title: 'Hapus webhook?',
  children: (
    <p>
      Alamat, kunci, dan catatan pengirimannya dihapus, dan yang menunggu tidak dikirim. Ini tidak
      dapat dibatalkan. Bila hanya ingin berhenti sebentar, matikan saja.
    </p>
  ),
  confirmText: 'Hapus',
};
