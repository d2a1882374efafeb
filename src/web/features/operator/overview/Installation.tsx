import { formatNumber } from '#contract/base/money.ts';
import type { OperatorOverview } from '#contract/operator/overview.ts';
import styles from '#web/features/operator/form/form.module.css';
import page from '#web/features/operator/overview/OverviewPage.module.css';
import { inBytes, inWords } from '#web/features/operator/overview/problems.ts';
import { type Fact, Facts, Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

export const Installation = ({ data }: { data: OperatorOverview }) => (
  <div className={page['columns']}>
    <Panel title="Instalasi">
      <Facts facts={[...appFacts(data), ...storageFacts(data)]} />
    </Panel>
    <Jobs jobs={data.jobs} />
  </div>
);

const appFacts = ({ app, events }: OperatorOverview): readonly Fact[] => [
  { term: 'Versi', is: `${app.version} (${app.build})` },
  { term: 'Berjalan selama', is: inWords(app.uptime_seconds) },
  { term: 'Proses', is: formatNumber(app.nodes) },
  {
    term: 'Kabar ke layar dan webhook',
    is: events.lag_seconds < 5 ? 'Tepat waktu' : `Terlambat ${inWords(events.lag_seconds)}`,
  },
];

function storageFacts({ database, disk, backup }: OperatorOverview): readonly Fact[] {
  const { version, bytes, connections, connections_max, oldest_transaction_seconds } = database;
  return [
    {
      term: 'Basis data',
      is: `PostgreSQL ${version}, ${inBytes(bytes)}`,
    },
    {
      term: 'Sambungan',
      is: `${formatNumber(connections)} dari ${formatNumber(connections_max)}`,
    },
    {
      term: 'Transaksi tertua',
      is: oldest_transaction_seconds < 1 ? 'Di bawah 1 detik' : inWords(oldest_transaction_seconds),
    },
    {
      term: 'Ruang disk tersisa',
      is: disk.free_bytes === null ? 'Tidak diketahui' : inBytes(disk.free_bytes),
    },
    { term: 'Cadangan terakhir', is: backup ? <Backup backup={backup} /> : 'Belum ada' },
  ];
}

const Backup = ({ backup }: { backup: NonNullable<OperatorOverview['backup']> }) => (
  <>
    <DateTime at={backup.at} />
    {backup.bytes !== null && `, ${inBytes(backup.bytes)}`}{' '}
    <StatusChip tone={backup.is_ok ? 'success' : 'danger'}>
      {backup.is_ok ? 'Berhasil' : backup.error === 'overdue' ? 'Terlambat' : 'Gagal'}
    </StatusChip>
  </>
);

const Jobs = ({ jobs }: Pick<OperatorOverview, 'jobs'>) => (
  <Panel title="Pekerjaan terjadwal yang gagal">
    {jobs.length === 0 && <p className={styles['note']}>Tidak ada dalam 24 jam terakhir.</p>}
    <ul className={styles['rows']}>
      {jobs.map(({ name, failed_at, is_over }) => (
        <li key={name}>
          <span className={styles['what']}>
            {name}
            <span className={styles['small']}>
              <DateTime at={failed_at} />
            </span>
          </span>
          <StatusChip tone={is_over ? 'neutral' : 'danger'}>
            {is_over ? 'Sudah pulih' : 'Belum pulih'}
          </StatusChip>
        </li>
      ))}
    </ul>
  </Panel>
);
