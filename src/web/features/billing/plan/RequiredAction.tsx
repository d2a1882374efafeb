import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Subscription } from '#contract/billing.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { formatDateTimeZone } from '#contract/base/time.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useUser } from '#web/api/user.ts';
import { topupFor } from '#web/features/billing/labels.ts';
import { formatDay } from '#web/features/billing/plan/usage.ts';
import { usePlanChanges } from '#web/features/billing/plan/usePlanChanges.ts';
import { dueInvoiceQuery, plansQuery } from '#web/features/billing/queries.ts';
import { saldoQuery, TopupButton } from '#web/features/saldo/saldo.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';

type Props = {
  subscription: Subscription;
  onDone: (sentence: string) => void;
};

/** The action a subscription needs: a payment or a restart; renders nothing without one. */
export function RequiredAction(props: Props) {
  const { status } = props.subscription;
  if (status === 'past_due') return <PastDue {...props} />;
  if (status === 'suspended') return <Suspended {...props} />;
  return null;
}

function PastDue({ subscription, onDone }: Props) {
  const { plan, grace_until: until } = subscription;
  const zone = useUser().timezone;
  const { data: invoice } = useQuery(dueInvoiceQuery);
  const { pay } = usePlanChanges();
  const short = subscription.shortage ?? 0;
  const askPay = async () => {
    if (!invoice) return;
    const paid = await confirm({
      title: 'Bayar dari saldo?',
      children: `${formatRupiah(invoice.total)} untuk paket ${plan.name} dipotong dari saldo Anda.`,
      tone: 'primary',
      cancelText: 'Kembali',
      confirmText: 'Bayar dari saldo',
      onConfirm: async () => void (await pay.perform({ invoice_id: invoice.id })),
    });
    if (paid) onDone(`Paket ${plan.name} sudah dibayar dan tetap aktif.`);
  };
  return (
    <Alert
      visible
      state="warning"
      variant="pro"
      label={
        short > 0
          ? `Saldo kurang ${formatRupiah(short)} untuk membayar paket ${plan.name}.`
          : `Paket ${plan.name} menunggu pembayaran, dan saldo Anda sudah cukup.`
      }
    >
      <p className="measure mt-2 muted pretty">
        {until
          ? `Kuota dan harga paket tetap berlaku sampai ${formatDateTimeZone(until, zone)}. `
          : 'Kuota dan harga paket masih berlaku. '}
        {short > 0
          ? 'Begitu saldo masuk, paket dibayar otomatis.'
          : 'Pembayaran dicoba lagi otomatis, atau bayar sekarang.'}
      </p>
      <div className="flex wrap gap-8 mt-10">
        {short > 0 ? (
          <TopupLink amount={short} />
        ) : (
          invoice && (
            <Button busy={pay.busy} onClick={() => void askPay()}>
              Bayar dari saldo
            </Button>
          )
        )}
        {invoice && (
          <LinkButton
            to="/billing"
            change={{ open: invoice.id }}
            resetScroll={false}
            variant="outline"
          >
            Lihat tagihan
          </LinkButton>
        )}
      </div>
    </Alert>
  );
}

function Suspended({ subscription, onDone }: Props) {
  const { plan } = subscription;
  const { data: saldo } = useQuery(saldoQuery);
  const { data: plans } = useQuery(plansQuery);
  const { resume } = usePlanChanges();
  const short = subscription.shortage ?? 0;
  // A new period begins: at today's price.
  const { price } = plans?.find(({ code }) => code === plan.code) ?? plan;
  const askResume = async () => {
    const resumed = await confirm({
      title: `Lanjutkan paket ${plan.name}?`,
      children: `${formatRupiah(price)} dipotong dari saldo Anda sekarang, dan periode yang baru dimulai hari ini.`,
      tone: 'primary',
      cancelText: 'Kembali',
      confirmText: 'Lanjutkan paket',
      onConfirm: async () => void (await resume.perform({})),
    });
    if (resumed) onDone(`Paket ${plan.name} aktif lagi.`);
  };
  return (
    <Alert
      visible
      state="danger"
      variant="pro"
      label={`Paket ${plan.name} ditangguhkan karena belum dibayar.`}
    >
      <p className="measure mt-2 muted pretty">
        Kuota dan harga paket tidak berlaku sampai paket dilanjutkan
        {saldo && `: tiap pesan dikenai harga dasar, ${formatRupiah(saldo.message_price)}`}. Token
        dan riwayat pesan Anda tetap ada.
        {short > 0 &&
          ` Untuk melanjutkan, saldo kurang ${formatRupiah(short)} dari ${formatRupiah(price)}.`}
      </p>
      <div className="flex wrap gap-8 mt-10">
        {short > 0 ? (
          <TopupLink amount={short} />
        ) : (
          <Button onClick={() => void askResume()}>Lanjutkan paket</Button>
        )}
      </div>
    </Alert>
  );
}

type TopupProps = { amount: number; plan?: string };

export function TopupLink({ amount, plan }: TopupProps) {
  const proposed = topupFor(amount);
  return (
    <TopupButton amount={proposed} plan={plan}>
      {`Isi saldo ${formatRupiah(proposed)}`}
    </TopupButton>
  );
}

export function Ending({ subscription, onDone }: Props): ReactNode {
  const { plan, next_plan: next, period_end: end } = subscription;
  const { resume } = usePlanChanges();
  const cancelled = subscription.cancel_at_period_end;
  if (!cancelled && !next) return null;
  const take = async () => {
    await resume.perform({});
    onDone(
      cancelled
        ? `Paket ${plan.name} dilanjutkan.`
        : `Perubahan dibatalkan. Paket ${plan.name} dilanjutkan.`,
    );
  };
  return (
    <Alert
      visible
      state="info"
      label={
        cancelled
          ? `Paket ini berhenti di akhir periode. Mulai ${formatDay(end)} akun memakai paket ${next?.name ?? 'Gratis'}.`
          : `Mulai ${formatDay(end)} paket Anda menjadi ${next?.name}, ${formatRupiah(next?.price ?? 0)} per bulan.`
      }
    >
      <div className="flex wrap gap-8 mt-10">
        <Button
          variant="outline"
          tone="primary"
          busy={resume.busy}
          onClick={() => void take().catch(() => undefined)}
        >
          {cancelled ? `Lanjutkan paket ${plan.name}` : 'Batalkan perubahan'}
        </Button>
      </div>
      {resume.error && (
        <p role="alert" className="mt-8 small text-danger">
          {sentenceOf(resume.error)}
        </p>
      )}
    </Alert>
  );
}
