import { useQuery, useQueryClient } from '@tanstack/react-query';
import { listTopups, type Topup, topupMethodLabel } from '#contract/saldo.ts';
import { simulatedPayment } from '#contract/simulator.ts';
import { perform } from '#web/api/act.ts';
import { refusalCode } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { sessionToken } from '#web/browser/session.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';

const LOOK_MS = 3_000;
const KEY = ['simulator', 'gateway'] as const;

export function Gateway() {
  const isSignedIn = sessionToken() !== '';
  const waiting = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const { rows } = await perform(listTopups, { status: 'pending' }, { signal });
      return rows.filter(({ method, simulated }) => method !== 'bank' && simulated);
    },
    enabled: isSignedIn,
    refetchInterval: LOOK_MS,
  });
  const isStranger =
    !isSignedIn || ['not_signed_in', 'not_allowed'].includes(refusalCode(waiting.error) ?? '');
  return (
    <Panel title="Pembayaran simulasi">
      {isStranger ? (
        <EmptyState
          title="Masuk dulu untuk melihat pembayaran akun Anda yang menunggu di sini."
          action={
            <LinkButton to="/auth/login" variant="subtle" size="sm">
              Masuk
            </LinkButton>
          }
        />
      ) : waiting.data ? (
        <Waiting topups={waiting.data} />
      ) : waiting.error ? (
        <WentWrong query={waiting} />
      ) : (
        <div aria-busy="true">
          <Skeleton lines={3} />
        </div>
      )}
    </Panel>
  );
}

function Waiting({ topups }: { topups: readonly Topup[] }) {
  const client = useQueryClient();
  const pay = useAct(simulatedPayment, {
    onSuccess: () => void client.invalidateQueries({ queryKey: KEY }),
    onError: () => void client.invalidateQueries({ queryKey: KEY }),
  });
  return (
    <>
      <p role="status" className="small muted hide-empty">
        {pay.data &&
          !pay.busy &&
          (pay.data.done
            ? 'Hasil pembayaran dikirim ke Kabari.'
            : 'Pembayaran itu sudah tidak ditunggu lagi.')}
      </p>
      <RefusalAlert error={pay.error} />
      {topups.length === 0 ? (
        <EmptyState
          title="Tidak ada pembayaran yang menunggu."
          action={
            <LinkButton to="/saldo" search={{ new: '1' }} variant="subtle" size="sm">
              Isi saldo
            </LinkButton>
          }
        >
          Isi saldo lewat QRIS, virtual account, atau halaman pembayaran tampil di sini.
        </EmptyState>
      ) : (
        <ul className="grid border-t">
          {topups.map((topup) => (
            <Line
              key={topup.id}
              topup={topup}
              busy={pay.busy}
              onDone={(outcome) => pay.mutate({ topup_id: topup.id, outcome })}
            />
          ))}
        </ul>
      )}
    </>
  );
}

type Outcome = 'pay' | 'expire' | 'deny';

const outcomes: readonly { outcome: Outcome; label: string }[] = [
  { outcome: 'pay', label: 'Bayar' },
  { outcome: 'expire', label: 'Kedaluwarsakan' },
  { outcome: 'deny', label: 'Tolak' },
];

type LineProps = { topup: Topup; busy: boolean; onDone: (outcome: Outcome) => void };

const Line = ({ topup, busy, onDone }: LineProps) => (
  <li className="grid gap-4 py-12 border-b">
    <span className="large strong">
      <Money amount={topup.total} />
    </span>
    <span className="small faint break-anywhere">
      {topupMethodLabel[topup.method]} · <span className="num">{topup.id}</span> · sisa{' '}
      <Countdown until={topup.expires_at} ended="habis" />
    </span>
    <div className="flex wrap gap-8 mt-6" role="group" aria-label={`Pembayaran ${topup.id}`}>
      {outcomes.map(({ outcome, label }) => (
        <Button
          key={outcome}
          size="sm"
          variant={outcome === 'pay' ? 'solid' : 'outline'}
          aria-disabled={busy || undefined}
          onClick={() => {
            if (!busy) onDone(outcome);
          }}
        >
          {label}
        </Button>
      ))}
    </div>
  </li>
);
