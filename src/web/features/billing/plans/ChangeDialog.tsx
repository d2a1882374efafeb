import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { changeSubscription, type SubscriptionPreview } from '#contract/billing.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { refusalCode, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { TopupLink } from '#web/features/billing/plan/RequiredAction.tsx';
import { formatDay } from '#web/features/billing/plan/usage.ts';
import { useTakeSubscription } from '#web/features/billing/plan/usePlanChanges.ts';
import { Preview } from '#web/features/billing/plans/Preview.tsx';
import { sameFigures } from '#web/features/billing/plans/figures.ts';
import { previewQuery } from '#web/features/billing/queries.ts';
import { LimitReason, saldoQuery, topupLimitOf } from '#web/features/saldo/saldo.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { LimitedButton } from '#web/ui/button/LimitedButton.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

type Props = {
  plan: string;
  onDone: (sentence: string) => void;
};

const close = () =>
  void navigate({
    to: '/billing',
    change: { change: undefined },
    replace: true,
    resetScroll: false,
  });

const outdates = ['quote_stale', 'saldo_short'] as const;

/** Over `/billing?change=…`: previews a change of plan to the rupiah, and applies exactly that. */
export function ChangeDialog({ plan, onDone }: Props) {
  const client = useQueryClient();
  const take = useTakeSubscription();
  // After consent the live stream may report the change before the response arrives: no more previews.
  const [isAgreed, setAgreed] = useState(false);
  const preview = useQuery({ ...previewQuery(plan), enabled: !isAgreed });
  const { data } = preview;
  const { changed, refused } = useChanged(data);
  const change = useAct(changeSubscription, {
    onSuccess: (after) => {
      take(after);
      close();
      if (data) onDone(resultOf(data));
    },
    onError: (error) => {
      setAgreed(false);
      const code = refusalCode(error);
      if (!outdates.some((one) => one === code)) return;
      if (code === 'quote_stale') refused();
      void client.invalidateQueries({ queryKey: previewQuery(plan).queryKey });
    },
  });
  const stale = refusalCode(change.error) === 'quote_stale';
  const foot = (
    <>
      <Button variant="outline" tone="neutral" onClick={close}>
        {data ? 'Batal' : 'Tutup'}
      </Button>
      {data && data.shortage > 0 && <TopupLink amount={data.shortage} plan={plan} />}
      {data && data.shortage === 0 && (
        <ConsentButton
          preview={data}
          busy={change.busy || (stale && preview.isFetching)}
          onClick={() => {
            setAgreed(true);
            change.mutate({ plan, quote: data.quote });
          }}
        />
      )}
    </>
  );
  return (
    <Modal addressed open onClose={close} title={titleOf(data)} footer={foot}>
      <div className="stack gap-14">
        <Alert
          state="warning"
          visible={changed}
          label="Perhitungannya baru saja berubah. Periksa rincian yang baru, lalu setujui lagi."
        />
        {!stale && <RefusalAlert error={change.error} />}
        {data && <Preview preview={data} />}
        {!data && preview.error && (
          <WentWrong
            message={sentenceOf(preview.error)}
            {...(refusalCode(preview.error) !== 'plan_same' && {
              onRetry: () => void preview.refetch(),
            })}
          />
        )}
        {preview.isPending && <LoadingPreview />}
      </div>
    </Modal>
  );
}

type ConsentProps = { preview: SubscriptionPreview; busy: boolean; onClick: () => void };

function ConsentButton({ preview, ...button }: ConsentProps) {
  const { data: saldo } = useQuery(saldoQuery);
  const limit = saldo?.status === 'active' ? undefined : topupLimitOf(saldo);
  const label = consentOf(preview);
  if (limit === undefined || preview.total <= 0) return <Button {...button}>{label}</Button>;
  return <LimitedButton reason={<LimitReason limit={limit} />}>{label}</LimitedButton>;
}

/** Whether the preview ever differed from the first; call `refused` when the server reports it. */
function useChanged(preview: SubscriptionPreview | undefined) {
  const [first, setFirst] = useState<SubscriptionPreview>();
  const [told, setTold] = useState(false);
  useEffect(() => {
    if (preview) setFirst((before) => before ?? preview);
  }, [preview]);
  const differs = first !== undefined && preview !== undefined && !sameFigures(first, preview);
  return { changed: told || differs, refused: () => setTold(true) };
}

function titleOf(preview: SubscriptionPreview | undefined): string {
  if (!preview) return 'Ganti paket';
  return `${preview.to.price > preview.from.price ? 'Naik' : 'Turun'} ke paket ${preview.to.name}`;
}

function consentOf({ when, total, starts_at: at }: SubscriptionPreview): string {
  if (when === 'period_end') return `Setujui, mulai ${formatDay(at)}`;
  return total > 0 ? `Setujui dan bayar ${formatRupiah(total)}` : 'Setujui';
}

function resultOf({ to, when, total, starts_at: at }: SubscriptionPreview): string {
  if (when === 'period_end') return `Perubahan dicatat: paket ${to.name} mulai ${formatDay(at)}.`;
  if (total > 0) return `Paket ${to.name} aktif. ${formatRupiah(total)} dipotong dari saldo.`;
  if (total < 0) return `Paket ${to.name} aktif. ${formatRupiah(-total)} kembali ke saldo.`;
  return `Paket ${to.name} aktif.`;
}

const LoadingPreview = () => (
  <div className="stack gap-14" aria-busy="true">
    <Skeleton lines={2} />
    <Skeleton height={150} />
    <Skeleton height={90} />
  </div>
);
