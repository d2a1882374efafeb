import type { SavedWebhook } from '#contract/webhooks.ts';
import { useWebhookForm, WebhookForm } from '#web/features/webhooks/manage/WebhookForm.tsx';
import { SignatureSamples } from '#web/features/webhooks/samples/SignatureSamples.tsx';
import styles from '#web/features/webhooks/webhooks.module.css';
import { classes } from '#web/ui/classes.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';

type Props = { tokenId: string; onSaved: (saved: SavedWebhook) => void };

export function WebhookSetup({ tokenId, onSaved }: Props) {
  const saving = useWebhookForm(tokenId, undefined, onSaved);
  return (
    <>
      <Panel title="Pasang webhook" look="card">
        <div className={classes('stack gap-18', styles['form'])}>
          <p className="measure muted">
            Isi alamat di server Anda. Setiap peristiwa dikirim ke sana sebagai POST dengan tanda
            tangan, berurutan per percakapan, dan dicoba lagi sampai tiga hari bila gagal.
          </p>
          <WebhookForm {...saving}>
            <div>
              <Button type="submit" busy={saving.busy}>
                Simpan dan uji alamat
              </Button>
            </div>
          </WebhookForm>
        </div>
      </Panel>
      <SignatureSamples format="kabari" />
    </>
  );
}
