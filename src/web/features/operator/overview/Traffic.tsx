import { formatNumber } from '#contract/base/money.ts';
import { formatTime } from '#contract/base/time.ts';
import { failureCause } from '#contract/messages/failures.ts';
import type { OperatorOverview } from '#contract/operator/overview.ts';
import { useUser } from '#web/api/user.ts';
import { Link } from '#web/browser/router/Link.tsx';
import styles from '#web/features/operator/form/form.module.css';
import page from '#web/features/operator/overview/OverviewPage.module.css';
import { SUPPORT_INBOX } from '#web/features/operator/operator.ts';
import { inWords } from '#web/features/operator/overview/problems.ts';
import { channelLabel } from '#web/features/tokens/tokens.ts';
import { SmallBars } from '#web/ui/chart/SmallBars.tsx';
import { Stat, Stats } from '#web/ui/chart/Stat.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

export function Traffic({ data }: { data: OperatorOverview }) {
  const { minutes, queue, lanes, support, accepted, failures } = data;
  // The current minute is incomplete, so the one before is shown.
  const lately = minutes.at(-2) ?? 0;
  return (
    <>
      <Panel title="Pesan">
        <Stats>
          <Stat label="Pesan per menit" value={formatNumber(lately)}>
            {formatNumber(accepted)} dalam 24 jam
          </Stat>
          <Stat
            label="Menunggu dikirim"
            value={`${queue.more ? 'lebih dari ' : ''}${formatNumber(queue.waiting)}`}
          >
            {queue.age_seconds < 1
              ? 'Tidak ada yang terlambat'
              : `Tertua ${inWords(queue.age_seconds)}`}
          </Stat>
          <Stat label="Antrean aktif" value={formatNumber(lanes.running)}>
            {lanes.unowned === 0
              ? 'Semua ada yang mengerjakan'
              : `${formatNumber(lanes.unowned)} tanpa pekerja`}
          </Stat>
          {support ? (
            <Stat
              label={<Link to={SUPPORT_INBOX}>Percakapan menunggu</Link>}
              value={formatNumber(support.waiting)}
            >
              {support.oldest ? (
                <>
                  Terlama sejak <DateTime at={support.oldest} />
                </>
              ) : (
                'Semua sudah dijawab'
              )}
            </Stat>
          ) : (
            <Stat label="Gagal" value={formatNumber(sumOf(failures))}>
              dalam 24 jam
            </Stat>
          )}
        </Stats>
      </Panel>
      <div className={page['columns']}>
        <Minutes data={data} />
        <Failures failures={failures} accepted={accepted} />
      </div>
    </>
  );
}

function Minutes({ data: { minutes, at } }: { data: OperatorOverview }) {
  const { timezone } = useUser();
  const bars = minutes.map((messages, index) => ({
    label: formatTime(new Date(at.getTime() - (minutes.length - 1 - index) * 60_000), timezone),
    values: { messages },
  }));
  return (
    <Panel title="60 menit terakhir">
      <SmallBars
        title="Pesan yang diterima per menit"
        of="Menit"
        series={[{ key: 'messages', label: 'Pesan diterima', color: 'toska' }]}
        bars={bars}
        height={120}
      />
    </Panel>
  );
}

const sumOf = (failures: OperatorOverview['failures']): number =>
  failures.reduce((total, { messages }) => total + messages, 0);

type FailureProps = Pick<OperatorOverview, 'failures' | 'accepted'>;

function Failures({ failures, accepted }: FailureProps) {
  const sum = sumOf(failures);
  const share = accepted > 0 ? (sum * 100) / accepted : 0;
  return (
    <Panel title="Gagal dalam 24 jam">
      <p className={styles['note']}>
        {sum === 0
          ? 'Tidak ada pesan yang gagal.'
          : `${formatNumber(sum)} pesan${accepted > 0 ? `, ${share.toFixed(1).replace('.', ',')}% dari yang diterima` : ''}.`}
      </p>
      <ul className={styles['rows']}>
        {failures.map(({ channel, failure, messages }) => (
          <li key={`${channel} ${failure}`}>
            <span className={styles['what']}>
              {failureCause(failure)}
              <span className={styles['small']}>{channelLabel[channel]}</span>
            </span>
            <span className="num">{formatNumber(messages)}</span>
          </li>
        ))}
      </ul>
      {sum > 0 && (
        <p className={styles['note']}>
          Menurut kanal token sekarang: kegagalan sebelum sebuah token pindah kanal ikut terhitung
          di kanal barunya.
        </p>
      )}
      {sum > 0 && <Link to="/operator/pelanggan">Cari pelanggannya</Link>}
    </Panel>
  );
}
