import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { changeSubscription, type SubscriptionPreview } from '#contract/billing.ts';
import { formatRupiah, formatNumber } from '#contract/base/money.ts';
import { refusalCode } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { TopupLink } from '#web/features/billing/plan/RequiredAction.tsx';
import { formatDay, lastDayOf } from '#web/features/billing/plan/usage.ts';
import { useTakeSubscription } from '#web/features/billing/plan/usePlanChanges.ts';
import { previewQuery } from '#web/features/billing/queries.ts';
import { LimitReason, saldoQuery, topupLimitOf } from '#web/features/saldo/saldo.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { LimitedButton } from '#web/ui/button/LimitedButton.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { ArrowRight } from 'lucide-react';
import { TOPUP_MIN } from '#contract/saldo.ts';
import { inclusionsOf } from '#web/features/billing/labels.ts';
import styles from '#web/features/billing/billing.module.css';
import { classes } from '#web/ui/classes.ts';
import { Money } from '#web/ui/money/Money.tsx';

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
      <Button variant="outline" onClick={close}>
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
      <div className="stack gap-12">
        <Alert
          state="warning"
          visible={changed}
          label="Perhitungannya baru saja berubah. Periksa rincian yang baru, lalu setujui lagi."
        />
        {!stale && <RefusalAlert error={change.error} />}
        {data && <Preview preview={data} />}
        {!data && preview.error && (
          <WentWrong
            query={refusalCode(preview.error) === 'plan_same' ? { error: preview.error } : preview}
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
  <div className="stack gap-12" aria-busy="true">
    <Skeleton lines={2} />
    <Skeleton height={150} />
    <Skeleton height={90} />
  </div>
);

function Preview({ preview }: { preview: SubscriptionPreview }) {
  const { from, to, when, shortage, tokens_over: over } = preview;
  return (
    <>
      <p className="row wrap gap-8 larger muted">
        <span>{from.name}</span>
        <ArrowRight size={18} role="img" aria-label="menjadi" />
        <strong>{to.name}</strong>
      </p>
      <p className="pretty">{whenSentence(preview)}</p>
      <ul
        className={classes('flex wrap gap-2 gap-x-8 small muted', styles['inclusions'])}
        aria-label={`Termasuk dalam paket ${to.name}`}
      >
        {inclusionsOf(to).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {when === 'now' ? <SumNow preview={preview} /> : <SumLater preview={preview} />}
      <Alert
        state="warning"
        visible={shortage > 0}
        label={`Saldo kurang ${formatRupiah(shortage)}.`}
      >
        <p>
          Isi saldo lebih dulu, lalu kembali ke sini.
          {shortage < TOPUP_MIN && ` Isi saldo minimal ${formatRupiah(TOPUP_MIN)}.`}
        </p>
      </Alert>
      <Alert
        state="info"
        visible={over > 0}
        label={`Anda memakai ${formatNumber(over)} token lebih banyak dari batas paket ${to.name}, ${formatNumber(to.tokens)} token.`}
      >
        <p>Semuanya tetap dapat dipakai, tetapi token baru tidak dapat dibuat.</p>
      </Alert>
    </>
  );
}

function whenSentence(preview: SubscriptionPreview): string {
  const { from, when, starts_at: at, days_left: left, days_in_period: days } = preview;
  if (when === 'period_end') {
    return `Mulai ${formatDay(at)}. Sampai saat itu paket ${from.name} tetap berlaku, dan tidak ada yang dibayar sekarang.`;
  }
  const next = preview.next_charge?.at;
  const until = next ? ` sampai ${formatDay(lastDayOf(next))}` : '';
  if (left === days) return `Mulai hari ini${until}, satu periode penuh.`;
  return `Mulai hari ini${until}: ${left} dari ${days} hari periode ini.`;
}

function SumNow({ preview }: { preview: SubscriptionPreview }) {
  const { from, to, credit, charge, total, days_left: left, days_in_period: days } = preview;
  const daysWords = left === days ? '' : `, ${left} hari`;
  return (
    <>
      <dl className={classes('grid gap-8 ruled sums', styles['changeDialogSum'])}>
        <Line term={`Paket ${to.name}${daysWords}`}>
          <Money amount={charge} />
        </Line>
        {credit > 0 && (
          <Line term={`Sisa paket ${from.name}, ${left} hari, dikembalikan`}>
            <Money amount={-credit} />
          </Line>
        )}
        {left !== days && (
          <Line term="Kuota periode ini menjadi">{formatNumber(preview.quota)} pesan</Line>
        )}
        <Line term={total < 0 ? 'Kembali ke saldo' : 'Dibayar sekarang dari saldo'} strong>
          <Money amount={Math.abs(total)} />
        </Line>
      </dl>
      <dl className={classes('grid gap-8 ruled sums', styles['changeDialogSum'])}>
        <Line term="Saldo sekarang">
          <Money amount={preview.available} />
        </Line>
        {preview.shortage === 0 && (
          <Line term="Saldo sesudahnya">
            <Money amount={preview.available - total} />
          </Line>
        )}
        <NextCharge preview={preview} />
      </dl>
    </>
  );
}

const SumLater = ({ preview }: { preview: SubscriptionPreview }) => (
  <dl className={classes('grid gap-8 ruled sums', styles['changeDialogSum'])}>
    <Line term="Dibayar sekarang" strong>
      <Money amount={0} />
    </Line>
    <NextCharge preview={preview} />
    <Line term="Saldo sekarang">
      <Money amount={preview.available} />
    </Line>
  </dl>
);

const NextCharge = ({ preview: { next_charge: next } }: { preview: SubscriptionPreview }) => (
  <Line term={next ? `Tagihan berikutnya, ${formatDay(next.at)}` : 'Tagihan berikutnya'}>
    {next ? <Money amount={next.amount} /> : 'Tidak ada'}
  </Line>
);

type LineProps = { term: string; strong?: boolean; children: ReactNode };

const Line = ({ term, strong = false, children }: LineProps) => (
  <div className={strong ? styles['strong'] : undefined}>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </div>
);

/** The figures a person agrees to. The saldo may change meanwhile and is only shown beside them. */
const agreedTo = (preview: SubscriptionPreview) => [
  preview.to.revision,
  preview.when,
  formatDay(preview.starts_at),
  preview.credit,
  preview.charge,
  preview.total,
  preview.quota,
  preview.next_charge?.at.getTime(),
  preview.next_charge?.amount,
];

function sameFigures(one: SubscriptionPreview, other: SubscriptionPreview): boolean {
  const others = agreedTo(other);
  return agreedTo(one).every((figure, at) => figure === others[at]);
}
