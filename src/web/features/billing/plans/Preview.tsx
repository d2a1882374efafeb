import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SubscriptionPreview } from '#contract/billing.ts';
import { formatNumber, formatRupiah } from '#contract/base/money.ts';
import { TOPUP_MIN } from '#contract/saldo.ts';
import { inclusionsOf } from '#web/features/billing/labels.ts';
import { formatDay, lastDayOf } from '#web/features/billing/plan/usage.ts';
import styles from '#web/features/billing/billing.module.css';
import { classes } from '#web/ui/classes.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Money } from '#web/ui/money/Money.tsx';

export function Preview({ preview }: { preview: SubscriptionPreview }) {
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
