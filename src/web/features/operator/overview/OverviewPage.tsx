import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { CircleCheckBig, ShieldAlert, ShieldCheck } from 'lucide-react';
import { formatNumber, rupiah } from '#contract/base/money.ts';
import { formatTime } from '#contract/base/time.ts';
import { failureCause } from '#contract/messages/failures.ts';
import { type MoneyOverview, moneyOverview } from '#contract/operator/books.ts';
import { type OperatorOverview, operatorOverview } from '#contract/operator/overview.ts';
import { TopupMethod, topupMethodLabel } from '#contract/saldo.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useUser } from '#web/api/user.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { dayInWords } from '#web/features/operator/bank/bank.ts';
import { Findings } from '#web/features/operator/books/Findings.tsx';
import { maySee, SUPPORT_INBOX } from '#web/features/operator/operator.ts';
import styles from '#web/features/operator/operator.module.css';
import { Entry, Hash, Loaded, OperatorFrame, Rows } from '#web/features/operator/OperatorFrame.tsx';
import { actQuery } from '#web/features/operator/operatorQuery.ts';
import {
  inBytes,
  inWords,
  type Problem,
  problemsOf,
} from '#web/features/operator/overview/problems.ts';
import { channelLabel } from '#web/features/tokens/tokens.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { SmallBars } from '#web/ui/chart/SmallBars.tsx';
import { Stat, Stats } from '#web/ui/chart/Stat.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { type FactList, Facts, Panel, Row, Stack } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

/** The poll interval of the overview: no live event reports others' work to an operator. */
const LOOK_MS = 15_000;

/** Route `/operator`: problems, queues, and figures with links to their pages. */
export function OverviewPage() {
  const { operator_roles: roles } = useUser();
  const seesMoney = maySee({ roles: ['money'] }, roles);
  const looking = { refetchInterval: LOOK_MS };
  const overview = useQuery({ ...actQuery(operatorOverview, {}), ...looking });
  const money = useQuery({ ...actQuery(moneyOverview, {}), ...looking, enabled: seesMoney });
  const isWhole = !seesMoney || money.data !== undefined || money.isError;
  return (
    <OperatorFrame title="Ringkasan" context={<Seen queries={[overview, money]} />}>
      <Loaded query={overview} lines={12}>
        {(data) => (
          <>
            {isWhole && <Problems problems={problemsOf(data, money.data)} />}
            <Traffic data={data} />
            {seesMoney && (
              <Loaded query={money} lines={8}>
                {(books) => <MoneyPart data={books} />}
              </Loaded>
            )}
            <Installation data={data} />
          </>
        )}
      </Loaded>
    </OperatorFrame>
  );
}

function Seen({ queries }: { queries: readonly UseQueryResult[] }) {
  const { timezone } = useUser();
  const failed = queries.find(({ isError, data }) => isError && data !== undefined);
  const [first] = queries;
  const at = first?.dataUpdatedAt ?? 0;
  const time = at === 0 ? '' : formatTime(new Date(at), timezone);
  if (failed) {
    return (
      <span role="alert" className="text-danger">
        Belum dapat diperbarui: {sentenceOf(failed.error)} Angka ini dari pukul {time}.
      </span>
    );
  }
  return (
    <>{at === 0 ? 'Keadaan seluruh instalasi.' : `Diperbarui otomatis; terakhir pukul ${time}.`}</>
  );
}

/** Shows that all is well, or the problems, the most urgent first, each with its remedy. */
function Problems({ problems }: { problems: readonly Problem[] }) {
  if (problems.length === 0) {
    return (
      <p className="row gap-10 card py-12 px-16 heading" role="status">
        <CircleCheckBig size={20} className="text-success" />
        Semua berjalan. Tidak ada yang terlambat.
      </p>
    );
  }
  return (
    <Stack gap={12}>
      {problems.map(({ key, severity, says, act }) => (
        <Alert key={key} state={severity} variant="pro" visible label={says}>
          {act && (
            <Row>
              <LinkButton to={act.to} size="sm" variant="outline">
                {act.label}
              </LinkButton>
            </Row>
          )}
        </Alert>
      ))}
    </Stack>
  );
}

function Traffic({ data }: { data: OperatorOverview }) {
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
      <div className={styles['columns']}>
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
        series={[{ key: 'messages', label: 'Pesan diterima', color: 'primary' }]}
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
      <p className="muted">
        {sum === 0
          ? 'Tidak ada pesan yang gagal.'
          : `${formatNumber(sum)} pesan${accepted > 0 ? `, ${share.toFixed(1).replace('.', ',')}% dari yang diterima` : ''}.`}
      </p>
      <Rows>
        {failures.map(({ channel, failure, messages }) => (
          <Entry
            key={`${channel} ${failure}`}
            small={channelLabel[channel]}
            end={<span className="num">{formatNumber(messages)}</span>}
          >
            {failureCause(failure)}
          </Entry>
        ))}
      </Rows>
      {sum > 0 && (
        <p className="muted">
          Menurut kanal token sekarang: kegagalan sebelum sebuah token pindah kanal ikut terhitung
          di kanal barunya.
        </p>
      )}
      {sum > 0 && <Link to="/operator/pelanggan">Cari pelanggannya</Link>}
    </Panel>
  );
}

const methodLabel = (method: string): string => {
  const known = TopupMethod().safeParse(method);
  return known.success ? topupMethodLabel[known.data] : method;
};

function MoneyPart({ data }: { data: MoneyOverview }) {
  const { float, held, proposals } = data;
  const { topups, bank_lines: lines, suspense } = data.waiting;
  return (
    <>
      <Panel title="Saldo pelanggan">
        <Stats>
          <Stat
            label={<Link to="/operator/pelanggan">Saldo semua pelanggan</Link>}
            value={<Money amount={float} />}
          >
            Termasuk <Money amount={held} /> yang tertahan untuk pesan
          </Stat>
          <Stat
            label={<Link to="/operator/isi-saldo">Isi saldo menunggu tindakan</Link>}
            value={formatNumber(topups.count)}
          >
            {topups.oldest ? (
              <>
                Paling lama sejak <DateTime at={topups.oldest} />
              </>
            ) : (
              'Tidak ada yang menunggu'
            )}
          </Stat>
          <Stat
            label="Dana belum dikenali"
            value={<Money amount={rupiah(lines.amount + suspense.amount)} />}
          >
            <Link to="/operator/mutasi-bank">
              {formatNumber(lines.count)} transfer tanpa pemilik
            </Link>
            {', '}
            <Link to="/operator/suspense">{formatNumber(suspense.count)} pembayaran ganda</Link>
          </Stat>
          <Stat
            label={<Link to="/operator/penyesuaian">Usulan menunggu operator kedua</Link>}
            value={formatNumber(proposals.count)}
          >
            {proposals.for_you === 0
              ? 'Tidak ada yang dapat Anda putuskan'
              : `${formatNumber(proposals.for_you)} dapat Anda putuskan`}
          </Stat>
        </Stats>
      </Panel>
      <Today topups={data.topups_today} />
      <Books data={data} />
    </>
  );
}

const Today = ({ topups }: { topups: MoneyOverview['topups_today'] }) => (
  <Panel title="Isi saldo lunas hari ini">
    <Rows none="Belum ada isi saldo yang lunas sejak tengah malam (WIB).">
      {topups.map(({ method, count, amount }) => (
        <Entry key={method} small={`${formatNumber(count)} kali`} end={<Money amount={amount} />}>
          {methodLabel(method)}
        </Entry>
      ))}
    </Rows>
  </Panel>
);

function Books({ data: { check, audit, seal, reconciliation } }: { data: MoneyOverview }) {
  return (
    <Panel
      title="Pembukuan"
      tools={
        <LinkButton to="/operator/pembukuan" variant="subtle" size="sm">
          Buka pembukuan
        </LinkButton>
      }
    >
      <Rows>
        <Checked name="Pemeriksaan semua aturan" check={check} first="00.10" />
        <Checked
          name="Rekonsiliasi dengan bank dan gerbang pembayaran"
          check={reconciliation}
          first="02.30"
        />
        <Checked name="Rantai catatan audit" check={audit} first="00.10" />
        <Entry
          small={seal ? dayInWords(seal.day) : 'Belum ada hari yang disegel'}
          end={seal && <Hash>{seal.hash.slice(0, 12)}…</Hash>}
        >
          Segel terakhir
        </Entry>
      </Rows>
      {reconciliation && reconciliation.findings.length > 0 && (
        <Findings findings={reconciliation.findings} />
      )}
    </Panel>
  );
}

type CheckedProps = {
  name: string;
  check: { at: Date; ok: boolean } | null;
  /** The time of its first run, in WIB. */
  first: string;
};

const Checked = ({ name, check, first }: CheckedProps) => (
  <Entry
    small={check ? <DateTime at={check.at} /> : `Pertama kali pukul ${first} WIB`}
    end={check && <Health ok={check.ok} />}
  >
    {name}
  </Entry>
);

const Health = ({ ok }: { ok: boolean }) => (
  <StatusChip
    tone={ok ? 'success' : 'danger'}
    icon={ok ? <ShieldCheck size={14} /> : <ShieldAlert size={14} />}
  >
    {ok ? 'Cocok' : 'Ada selisih'}
  </StatusChip>
);

const Installation = ({ data }: { data: OperatorOverview }) => (
  <div className={styles['columns']}>
    <Panel title="Instalasi">
      <Facts facts={[...appFacts(data), ...storageFacts(data)]} />
    </Panel>
    <Jobs jobs={data.jobs} />
  </div>
);

const appFacts = ({ app, events }: OperatorOverview): FactList => [
  { term: 'Versi', is: `${app.version} (${app.build})` },
  { term: 'Berjalan selama', is: inWords(app.uptime_seconds) },
  { term: 'Proses', is: formatNumber(app.nodes) },
  {
    term: 'Kabar ke layar dan webhook',
    is: events.lag_seconds < 5 ? 'Tepat waktu' : `Terlambat ${inWords(events.lag_seconds)}`,
  },
];

function storageFacts({ database, disk, backup }: OperatorOverview): FactList {
  const { version, bytes, connections, connections_max, oldest_transaction_seconds } = database;
  return [
    { term: 'Basis data', is: `PostgreSQL ${version}, ${inBytes(bytes)}` },
    { term: 'Sambungan', is: `${formatNumber(connections)} dari ${formatNumber(connections_max)}` },
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
    <Rows none="Tidak ada dalam 24 jam terakhir.">
      {jobs.map(({ name, failed_at, is_over }) => (
        <Entry
          key={name}
          small={<DateTime at={failed_at} />}
          end={
            <StatusChip tone={is_over ? 'neutral' : 'danger'}>
              {is_over ? 'Sudah pulih' : 'Belum pulih'}
            </StatusChip>
          }
        >
          {name}
        </Entry>
      ))}
    </Rows>
  </Panel>
);
