import { formatNumber } from '#contract/base/money.ts';
import type { WebhookTest } from '#contract/webhooks.ts';
import { adviceFor, answerWords } from '#web/features/webhooks/labels.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';

/** A 2xx response without confirmation: only the Cloud API's handshake requires a certain body. */
const wrongChallenge =
  'Jawab permintaan verifikasi dengan nilai hub.challenge saja, bila verify token-nya cocok.';

export function TestResult({ test, onClose }: { test: WebhookTest; onClose?: () => void }) {
  const advice = test.ok ? undefined : (adviceFor(test) ?? wrongChallenge);
  return (
    <Alert
      visible
      state={test.ok ? 'success' : 'danger'}
      label={`Uji coba ${test.ok ? 'berhasil' : 'gagal'}: ${answerWords(test)}, ${formatNumber(test.ms)} ms`}
      {...(onClose ? { onClose } : {})}
    >
      {advice && <p>{advice}</p>}
      {test.answer !== '' && (
        <p className="small break-anywhere code">
          Jawabannya: <bdi>{test.answer}</bdi>
        </p>
      )}
    </Alert>
  );
}
