import type { Question } from '#web/ui/overlay/ConfirmDialog.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

/**
 * Asks for confirmation: `if (await confirm({ title: 'Hapus token?', confirmText: 'Hapus' })) …`. The dialog's code loads with the first question. One question at a time: a new one, or Back, answers the previous one
 * with no.
 *
 * @returns true if it was confirmed and `onConfirm` has succeeded
 */
export async function confirm(question: Question): Promise<boolean> {
  const host = await import('#web/ui/overlay/ConfirmDialog.tsx').catch(() => undefined);
  if (host) return host.ask({ cancelText: 'Batal', ...question });
  toast('Halaman ini belum dimuat lengkap. Periksa koneksi Anda, lalu coba lagi.', {
    tone: 'danger',
  });
  return false;
}
