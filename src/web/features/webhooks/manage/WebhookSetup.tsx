import type { SavedWebhook } from '#contract/webhooks/webhook.ts';
import { WebhookForm } from '#web/features/webhooks/manage/WebhookForm.tsx';
import { SignatureSamples } from '#web/features/webhooks/samples/SignatureSamples.tsx';
import styles from '#web/features/webhooks/webhooks.module.css';
import { Panel } from '#web/ui/panel/Panel.tsx';

type Props = { tokenId: string; onSaved: (saved: SavedWebhook) => void };

/** The first address of a token: what a webhook is, the form, and code that receives it. */
export const WebhookSetup = ({ tokenId, onSaved }: Props) => (
  <>
    <Panel title="Pasang webhook" look="card">
      <div className={styles['form']}>
        <p className={styles['text']}>
          Isi alamat di server Anda. Setiap peristiwa dikirim ke sana sebagai POST dengan tanda
          tangan, berurutan per percakapan, dan dicoba lagi sampai tiga hari bila gagal.
        </p>
        <WebhookForm tokenId={tokenId} webhook={undefined} onSaved={onSaved} />
      </div>
    </Panel>
    <SignatureSamples format="kabari" />
  </>
);
