import type { ConnectedNumber } from '#contract/operator/overview.ts';
import { partings, pauses, restrictions } from '#contract/channels.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { NumberState } from '#web/features/operator/channels/NumberState.tsx';
import styles from '#web/features/operator/form/form.module.css';
import { channelLabel, uptimeWords } from '#web/features/tokens/tokens.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Facts } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type Props = {
  /** Undefined if the current list does not contain it. */
  number: ConnectedNumber | undefined;
  loading: boolean;
  onClose: () => void;
};

export const NumberDrawer = ({ number, loading, onClose }: Props) => (
  <Drawer addressed open onClose={onClose} title={titleOf(number)}>
    {number ? (
      <Details number={number} />
    ) : loading ? (
      <Skeleton lines={6} height={18} />
    ) : (
      <WentWrong message="Nomor ini tidak ada di daftar yang ditampilkan." />
    )}
  </Drawer>
);

const titleOf = (number: ConnectedNumber | undefined): string =>
  number?.is_system ? 'Token sistem' : (number?.token_name ?? 'Nomor');

function Details({ number }: { number: ConnectedNumber }) {
  const { parted, paused, restriction, since, status } = number;
  return (
    <div className={styles['drawer']}>
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
    </div>
  );
}

const Owner = ({ number }: { number: ConnectedNumber }) =>
  number.is_system ? (
    <Link to="/operator/token">Kabari, untuk kode dan pemberitahuan</Link>
  ) : (
    <Link to="/operator/pelanggan" search={{ open: number.account_id, token: number.token_id }}>
      <bdi>{number.account_name}</bdi>
    </Link>
  );
