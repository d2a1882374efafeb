import { isolated } from '#contract/base/names.ts';
import { deleteToken, type Token } from '#contract/tokens.ts';
import { useAct } from '#web/api/query.ts';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { toast } from '#web/ui/toast/toasts.ts';

export function useRemoveToken({ id, name }: Token, onGone: () => void): () => Promise<void> {
  const changed = useTokenChanged();
  const remove = useAct(deleteToken);
  return async () => {
    const gone = await confirm({
      title: `Hapus token ${isolated(name)}?`,
      children: (
        <p>
          Kuncinya langsung ditolak dan ponselnya terputus. Ini tidak dapat dibatalkan. Riwayat
          pesan tetap ada.
        </p>
      ),
      confirmText: 'Hapus',
      onConfirm: () => remove.perform({ token_id: id }),
    });
    if (!gone) return;
    onGone();
    changed();
    toast(`Token ${isolated(name)} dihapus.`, { tone: 'success' });
  };
}
