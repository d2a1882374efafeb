import { useQuery } from '@tanstack/react-query';
import { formatNumber } from '#contract/base/money.ts';
import { partings, pauses, restrictions } from '#contract/channels.ts';
import {
  type ConnectedNumber,
  listNumbers,
  listProviderAnswers,
  type ProviderAnswers,
} from '#contract/operator/overview.ts';
import { tokenStatusLabel } from '#contract/tokens.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { effectWords, meaningWords } from '#web/features/operator/channels/codeWords.ts';
import styles from '#web/features/operator/operator.module.css';
import { Entry, Loaded, OperatorFrame, Rows } from '#web/features/operator/OperatorFrame.tsx';
import { OperatorList } from '#web/features/operator/OperatorList.tsx';
import { optionsOf } from '#web/ui/select/options.ts';
import { actQuery } from '#web/features/operator/operatorQuery.ts';
import { channelLabel, statusTone, uptimeWords } from '#web/features/tokens/tokens.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Facts, Panel } from '#web/ui/panel/Panel.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const columns: readonly Column<ConnectedNumber>[] = [
  {
    id: 'account_name',
    title: 'Pelanggan',
    width: 200,
    phone: 'title',
    cell: ({ account_name, is_system, token_name }) => (
      <span className={styles['what']}>
        <bdi>{is_system ? 'Token sistem' : account_name}</bdi>
        {!is_system && (
          <span className="small faint regular">
            <bdi>{token_name}</bdi>
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'phone',
    title: 'Nomor',
    width: 155,
    whole: true,
    phone: 'line',
    cell: ({ phone }) => <span className="num">{phone ?? '—'}</span>,
  },
  {
    id: 'channel',
    title: 'Kanal',
    width: 172,
    whole: true,
    phone: 'fact',
    cell: ({ channel }) => channelLabel[channel],
  },
  {
    id: 'state',
    title: 'Status',
    width: 140,
    phone: 'aside',
    cell: (number) => <NumberState number={number} />,
  },
  {
    id: 'since',
    title: 'Tersambung sejak',
    width: 162,
    sortable: true,
    phone: 'hidden',
    cell: ({ since, status }) => (since && status === 'linked' ? <DateTime at={since} /> : '—'),
  },
  {
    id: 'uptime',
    title: 'Waktu aktif 30 hari',
    width: 150,
    align: 'end',
    phone: 'fact',
    cell: ({ uptime }) => <span className="num">{uptimeWords(uptime)}</span>,
  },
  {
    id: 'last_receipt_at',
    title: 'Laporan terakhir',
    width: 156,
    phone: 'hidden',
    cell: ({ last_receipt_at: at }) => (at ? <DateTime at={at} /> : 'Belum ada'),
  },
];

const channels = optionsOf('Semua kanal', { cloud: channelLabel.cloud, web: channelLabel.web });
const states = optionsOf('Semua status', {
  connected: 'Tersambung',
  parted: 'Terputus',
  restricted: 'Dibatasi',
  paused: 'Dijeda',
});

/** Route `/operator/kanal`: all customers' numbers in their networks, and the networks' errors. */
export function ChannelsPage() {
  const { channel, state } = useSearch('/operator/kanal');
  return (
    <OperatorFrame
      title="Kanal"
      context="Nomor yang tersambung ke WhatsApp, dan jawaban jaringannya. Yang perlu perhatian lebih dahulu."
    >
      <OperatorList
        to="/operator/kanal"
        act={listNumbers}
        input={{ channel, state }}
        title="Nomor"
        caption="Nomor di semua kanal"
        columns={columns}
        rowKey={({ token_id }) => token_id}
        filters={[
          { name: 'channel', label: 'Kanal', options: channels },
          { name: 'state', label: 'Status', options: states },
        ]}
        empty={{
          title: 'Belum ada nomor yang tersambung',
          text: 'Nomor pelanggan muncul di sini begitu tersambung ke WhatsApp Cloud API atau WhatsApp Web.',
        }}
        drawer={{
          name: 'Nomor',
          title: ({ is_system, token_name }) => (is_system ? 'Token sistem' : token_name),
          missing: 'Nomor ini tidak ada di daftar yang ditampilkan.',
          children: (number) => <Details number={number} />,
        }}
      />
      <Answers />
    </OperatorFrame>
  );
}

type NumberProps = { number: ConnectedNumber };

/** A pause comes before a restriction: the number sends no message. */
const NumberState = ({ number: { status, restriction, paused } }: NumberProps) =>
  status === 'linked' && (restriction || paused) ? (
    <StatusChip tone="warning">{paused ? 'Dijeda' : 'Dibatasi'}</StatusChip>
  ) : (
    <StatusChip tone={statusTone[status]}>{tokenStatusLabel[status]}</StatusChip>
  );

function Details({ number }: NumberProps) {
  const { parted, paused, restriction, since, status } = number;
  return (
    <>
      {parted && status !== 'linked' && (
        <Alert
          visible
          state="danger"
          label={
            <>
              Terputus sejak <DateTime at={parted.at} />.
            </>
          }
        >
          <p>{partings[parted.reason]}</p>
        </Alert>
      )}
      {restriction && (
        <Alert visible state="warning" label={restrictions[restriction.kind]}>
          <p>
            Sejak <DateTime at={restriction.at} />
            {restriction.until && (
              <>
                , sampai <DateTime at={restriction.until} />
              </>
            )}
            .
          </p>
        </Alert>
      )}
      {paused && status === 'linked' && (
        <Alert visible state="warning" label={pauses[paused.reason]}>
          <p>
            Sejak <DateTime at={paused.at} />, dicoba lagi <DateTime at={paused.until} />.
          </p>
        </Alert>
      )}
      <Facts
        facts={[
          { term: 'Status', is: <NumberState number={number} /> },
          { term: number.is_system ? 'Dipakai oleh' : 'Pelanggan', is: <Owner number={number} /> },
          { term: 'Nomor', is: <span className="num">{number.phone ?? '—'}</span> },
          { term: 'Kanal', is: channelLabel[number.channel] },
          {
            term: 'Tersambung sejak',
            is: since && status === 'linked' ? <DateTime at={since} /> : 'Tidak tersambung',
          },
          {
            term: 'Waktu aktif 30 hari',
            is: <span className="num">{uptimeWords(number.uptime)}</span>,
          },
          {
            term: 'Laporan terakhir',
            is: number.last_receipt_at ? <DateTime at={number.last_receipt_at} /> : 'Belum ada',
          },
        ]}
      />
    </>
  );
}

const Owner = ({ number }: NumberProps) =>
  number.is_system ? (
    <Link to="/operator/token">Kabari, untuk kode dan pemberitahuan</Link>
  ) : (
    <Link to="/operator/pelanggan" search={{ open: number.account_id, token: number.token_id }}>
      <bdi>{number.account_name}</bdi>
    </Link>
  );

const spans = optionsOf('24 jam terakhir', { 7: '7 hari terakhir' });

function Answers() {
  const { days } = useSearch('/operator/kanal');
  const answers = useQuery(actQuery(listProviderAnswers, { days: days ?? '1' }));
  return (
    <Panel
      title="Jawaban jaringan"
      tools={
        <Select
          label="Rentang"
          hideLabel
          options={spans}
          value={days ?? ''}
          onChange={({ target }) =>
            void navigate({
              to: '/operator/kanal',
              change: { days: target.value === '7' ? '7' : undefined },
              resetScroll: false,
            })
          }
        />
      }
    >
      <Loaded query={answers} lines={4}>
        {({ answers: rows }) => (
          <Rows label="Jawaban jaringan" none="Tidak ada penolakan atau gangguan.">
            {rows.map((row) => (
              <AnswerRow key={`${row.channel} ${row.code}`} row={row} />
            ))}
          </Rows>
        )}
      </Loaded>
    </Panel>
  );
}

const AnswerRow = ({ row }: { row: ProviderAnswers['answers'][number] }) => (
  <Entry
    note={effectWords(row)}
    small={
      <>
        {channelLabel[row.channel]}, kode <code>{row.code}</code>, terakhir{' '}
        <DateTime at={row.last_at} />
      </>
    }
    end={
      <span>
        <strong className="num">{formatNumber(row.count)}×</strong>{' '}
        <span className="small faint regular">{formatNumber(row.numbers)} nomor</span>
      </span>
    }
  >
    <strong>{meaningWords(row)}</strong>
  </Entry>
);
