import { useQuery } from '@tanstack/react-query';
import { checkResend, resendMessages } from '#contract/messages/history.ts';
import { perform } from '#web/api/act.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import type { SelectionProps } from '#web/features/messages/selection/selectionProps.ts';
import { ManyDialog } from '#web/features/messages/selection/ManyDialog.tsx';
import { RefusedList } from '#web/features/messages/selection/RefusedList.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

const titleOf = (count: number | undefined): string => {
  if (count === undefined) return 'Kirim ulang pesan?';
  return count === 0 ? 'Tidak ada yang dapat dikirim ulang' : `Kirim ulang ${count} pesan?`;
};

export function ResendMany({ messages, onClose }: SelectionProps) {
  const message_ids = messages.map(({ id }) => id);
  const check = useQuery({
    queryKey: ['resend_check', message_ids],
    queryFn: ({ signal }) => perform(checkResend, { message_ids }, { signal }),
    gcTime: 0,
    staleTime: 0,
  });
  const resend = useAct(resendMessages);
  const { data: cost, error } = check;
  const count = cost?.count ?? 0;
  return (
    <ManyDialog
      title={titleOf(cost?.count)}
      confirmText={`Kirim ulang ${count} pesan`}
      count={count}
      messages={messages}
      doneWords={(done) => `${done} pesan dikirim ulang sebagai pesan baru.`}
      refusedTitle="Tidak dikirim ulang"
      onConfirm={async () => {
        const { sent, refused } = await resend.perform({ message_ids });
        return { done: sent.length, refused };
      }}
      onClose={onClose}
    >
      {error ? (
        <WentWrong message={sentenceOf(error)} onRetry={() => void check.refetch()} />
      ) : cost ? (
        <>
          <p>
            {count === 0 && 'Tidak ada pesan terpilih yang dapat dikirim ulang.'}
            {count > 0 && (
              <>
                Isi yang sama dikirim sebagai pesan baru ke nomor yang sama.{' '}
                {cost.by_quota === count ? (
                  'Semuanya termasuk kuota paket.'
                ) : (
                  <>
                    Biayanya <Money amount={cost.price} />
                    {cost.by_quota > 0 && `; ${cost.by_quota} pesan termasuk kuota paket`}.
                  </>
                )}
              </>
            )}
          </p>
          <RefusedList title="Tidak ikut" refused={cost.refused} messages={messages} />
        </>
      ) : (
        <div aria-busy="true">
          <Skeleton lines={2} />
        </div>
      )}
    </ManyDialog>
  );
}
