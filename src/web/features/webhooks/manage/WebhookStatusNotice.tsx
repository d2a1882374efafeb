import type { ReactNode } from 'react';
import { formatDateTime } from '#contract/base/time.ts';
import type { Webhook, WebhookOffReason } from '#contract/webhooks.ts';
import { useUser } from '#web/api/user.ts';
import { formatDaySecond, switchedOffAt } from '#web/features/webhooks/labels.ts';
import { Alert, type AlertState } from '#web/ui/alert/Alert.tsx';

type Notice = { state: AlertState; label: string; does: ReactNode };

const offNotice: Record<WebhookOffReason, Notice> = {
  unconfirmed: {
    state: 'warning',
    label: 'Webhook belum aktif: alamatnya belum menjawab uji coba dengan 2xx.',
    does: (
      <>
        Pasang kuncinya di server Anda, jawab peristiwa <code>webhook.test</code> dengan status 2xx,
        lalu tekan Nyalakan.
      </>
    ),
  },
  owner: {
    state: 'gray',
    label: 'Webhook dimatikan dari akun ini.',
    does: 'Peristiwa selama mati tidak dikirim. Yang sudah menunggu dilanjutkan setelah dinyalakan.',
  },
  gone: {
    state: 'danger',
    label: 'Webhook berhenti karena alamatnya menjawab 410 (Gone).',
    does: 'Balasan itu berarti “jangan kirim lagi”. Bila bukan itu maksudnya, perbaiki server atau ubah alamatnya, lalu tekan Nyalakan.',
  },
  failing: {
    state: 'danger',
    label: 'Webhook dimatikan: tiga hari tidak ada satu pun pengiriman yang berhasil.',
    does: 'Perbaiki server Anda, tekan Nyalakan, lalu kirim ulang peristiwa yang terlewat dari daftar di bawah.',
  },
};

function noticeOf(webhook: Webhook, zone: string): Notice | undefined {
  const { state, off_reason, failing_since, paused_until } = webhook;
  if (state === 'off') return offNotice[off_reason ?? 'owner'];
  if (failing_since === null) return undefined;
  const last = formatDateTime(switchedOffAt(failing_since), zone);
  return {
    state: 'warning',
    label:
      paused_until === null
        ? `Pengiriman gagal sejak ${formatDateTime(failing_since, zone)}.`
        : `Gagal beberapa kali berturut-turut: dijeda sampai ${formatDaySecond(paused_until, zone)}.`,
    does: `Periksa server Anda, lalu kirim uji coba: bila berhasil, semua yang menunggu langsung dilanjutkan. Bila tetap gagal sampai ${last}, webhook dimatikan.`,
  };
}

export function WebhookStatusNotice({ webhook }: { webhook: Webhook }) {
  const notice = noticeOf(webhook, useUser().timezone);
  if (!notice) return null;
  return (
    <Alert visible state={notice.state} label={notice.label}>
      <p>{notice.does}</p>
    </Alert>
  );
}
