import type { SavedWebhook } from '#contract/webhooks.ts';
import { SecretDialog } from '#web/features/webhooks/manage/SecretDialog.tsx';
import { TestResult } from '#web/features/webhooks/manage/TestResult.tsx';

type Props = { saved: SavedWebhook; secret: string; onClose: () => void };

export const CreatedDialog = ({ saved: { test, webhook }, secret, onClose }: Props) => (
  <SecretDialog title="Kunci webhook" secret={secret} onClose={onClose}>
    {test && <TestResult test={test} />}
    <p className="measure muted">
      {webhook.state === 'on' ? (
        'Webhook aktif: peristiwa mulai dikirim sekarang.'
      ) : (
        <>
          Webhook sudah disimpan, tetapi masih mati. Pasang kunci ini di server Anda, jawab
          peristiwa <code>webhook.test</code> dengan status 2xx, lalu tekan Nyalakan.
        </>
      )}
    </p>
  </SecretDialog>
);
