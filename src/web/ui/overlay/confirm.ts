import type { ReactNode } from 'react';
import { toast } from '#web/ui/toast/toasts.ts';

export type Question = {
  title: ReactNode;
  children?: ReactNode;
  /** Default 'Cancel'; screens say 'Batal'. */
  cancelText?: string;
  /** Default 'Delete'; screens say 'Hapus', 'Keluar' and so on. */
  confirmText?: string;
  /** `danger` unless it can be undone. */
  tone?: 'danger' | 'primary';
  /** Done while the dialog waits; what it throws is shown inside, and the dialog stays. */
  onConfirm?: () => void | Promise<void>;
  /** The sentence for what `onConfirm` threw; '' leaves it untold. */
  sentenceOf?: (error: unknown) => string;
};

/**
 * Asks before something that matters: `if (await confirm({ title: 'Hapus token?', confirmText: 'Hapus',
 * cancelText: 'Batal' })) …`. The dialog's code arrives with the first question. One question at a
 * time: a new one, and the way back to another page, answer the one before with no.
 *
 * @returns whether it was confirmed, and `onConfirm` has done its work
 */
export async function confirm(question: Question): Promise<boolean> {
  const place = await import('#web/ui/overlay/ConfirmHost.tsx').catch(() => undefined);
  if (place) return place.ask(question);
  toast('Halaman ini belum dimuat lengkap. Periksa koneksi Anda, lalu coba lagi.', {
    tone: 'danger',
  });
  return false;
}
