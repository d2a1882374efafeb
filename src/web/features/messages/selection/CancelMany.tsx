import { cancelMessages } from '#contract/messages/history.ts';
import { useAct } from '#web/api/query.ts';
import type { SelectionProps } from '#web/features/messages/selection/selectionProps.ts';
import { ManyDialog } from '#web/features/messages/selection/ManyDialog.tsx';
import { canCancel } from '#web/features/messages/labels.ts';

export function CancelMany({ messages, onClose }: SelectionProps) {
  const cancel = useAct(cancelMessages);
  const count = messages.filter(canCancel).length;
  const left = messages.length - count;
  return (
    <ManyDialog
      title={count === 0 ? 'Tidak ada yang dapat dibatalkan' : `Batalkan ${count} pesan?`}
      confirmText={`Batalkan ${count} pesan`}
      tone="danger"
      count={count}
      messages={messages}
      doneWords={(done) => `${done} pesan dibatalkan.`}
      refusedTitle="Tidak dibatalkan"
      onConfirm={async () => {
        const message_ids = messages.filter(canCancel).map(({ id }) => id);
        const { cancelled, refused } = await cancel.perform({ message_ids });
        return { done: cancelled.length, refused };
      }}
      onClose={onClose}
    >
      <p>
        {count === 0
          ? 'Tidak ada pesan terpilih yang masih menunggu: hanya yang terjadwal atau antre dapat dibatalkan.'
          : 'Pesan-pesan ini tidak akan dikirim, dan biaya yang ditahan kembali ke saldo Anda.'}
      </p>
      {count > 0 && left > 0 && (
        <p>{left} pesan lain sudah dikirim atau sudah selesai, jadi tidak berubah.</p>
      )}
    </ManyDialog>
  );
}
