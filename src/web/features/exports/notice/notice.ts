import type { QueryClient } from '@tanstack/react-query';
import { exportsKey } from '#web/features/exports/queryKeys.ts';
import { onLiveEvent } from '#web/live/listeners.ts';
import { toast } from '#web/ui/toast/toasts.ts';

type Watch = {
  client: QueryClient;
  userId: string;
  onOpen: () => void;
};

/**
 * Announces on any page that this person's file is ready, or has failed; not where the files are on screen.
 *
 * @returns a function that stops it
 */
export function watchExports({ client, userId, onOpen }: Watch): () => void {
  return onLiveEvent('export.changed', ({ user_id: asker, status }) => {
    const sentence = status === undefined ? undefined : sentences[status];
    if (asker !== userId || !sentence) return;
    const isShown = client.getQueryCache().find({ queryKey: exportsKey })?.isActive() ?? false;
    if (isShown) return;
    toast(sentence.text, {
      tone: sentence.tone,
      action: { label: 'Lihat berkas', onAction: onOpen },
    });
  });
}

const sentences: Readonly<
  Record<string, { text: string; tone: 'success' | 'info' | 'danger' } | undefined>
> = {
  ready: { text: 'Berkas ekspor Anda siap diunduh.', tone: 'success' },
  empty: { text: 'Ekspor selesai: tidak ada yang cocok, jadi tidak ada berkasnya.', tone: 'info' },
  failed: { text: 'Berkas ekspor gagal dibuat. Data Anda utuh.', tone: 'danger' },
};
