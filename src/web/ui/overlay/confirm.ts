import type { Question } from '#web/ui/overlay/question.ts';
import { toast } from '#web/ui/toast/toasts.ts';

/**
 * Asks before something that matters: `if (await confirm({ title: 'Hapus token?', confirmText: 'Hapus',
 * cancelText: 'Batal' })) …`. The dialog's code arrives with the first question. One question at a
 * time: a new one answers the one before with no, and so does Back.
 *
 * @returns whether it was confirmed, and `onConfirm` has done its work
 */
export async function confirm(question: Question): Promise<boolean> {
  const host = await import('#web/ui/overlay/ConfirmHost.tsx').catch(() => undefined);
  if (host) return host.ask(question);
  toast('Halaman ini belum dimuat lengkap. Periksa koneksi Anda, lalu coba lagi.', {
    tone: 'danger',
  });
  return false;
}
