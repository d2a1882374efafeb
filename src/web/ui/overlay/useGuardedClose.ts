import { useEffect } from 'react';
import { confirm } from '#web/ui/overlay/confirm.ts';

/** Closes at once, or asks before unsaved input is lost; also asks on leaving the page. */
export function useGuardedClose(isDirty: boolean, onClose: () => void): () => void {
  useEffect(() => {
    if (!isDirty) return undefined;
    const stay = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', stay);
    return () => window.removeEventListener('beforeunload', stay);
  }, [isDirty]);
  const ask = async () => {
    const leaves = await confirm({
      title: 'Tutup tanpa menyimpan?',
      children: 'Yang sudah Anda tulis di sini akan hilang.',
      cancelText: 'Lanjut menulis',
      confirmText: 'Tutup',
      tone: 'danger',
    });
    if (leaves) onClose();
  };
  return () => (isDirty ? void ask() : onClose());
}
