import { useQuery } from '@tanstack/react-query';
import {
  type Connection,
  type Restriction,
  partings,
  pauses,
  restrictions,
} from '#contract/channels.ts';
import { formatDateTime } from '#contract/base/time.ts';
import type { Token } from '#contract/tokens.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useUser } from '#web/api/user.ts';
import { CloudPart } from '#web/features/tokens/channels/CloudPart.tsx';
import { uptimeWords } from '#web/features/tokens/channels/health.ts';
import { connectionQuery } from '#web/features/tokens/channels/queries.ts';
import { LinkPart } from '#web/features/tokens/links/LinkPart.tsx';
import { UnofficialRisk } from '#web/features/scan/scan.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Facts } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type Props = { token: Token; linking: boolean };

export function ConnectionPart({ token, linking }: Props) {
  const { data, error, refetch } = useQuery(connectionQuery(token.id));
  const isShown = token.status !== 'suspended';
  return (
    <>
      {data === undefined && !error && <Skeleton height={18} lines={4} />}
      {error && data === undefined && (
        <WentWrong message={sentenceOf(error)} onRetry={() => void refetch()} />
      )}
      {data && <Health connection={data} isConnected={token.status === 'linked'} />}
      {isShown && token.channel === 'cloud' && <CloudPart token={token} linking={linking} />}
      {isShown && token.channel === 'web' && (
        <LinkPart
          token={token}
          linking={linking}
          risk={<UnofficialRisk />}
          restricted={Boolean(data?.restriction)}
        />
      )}
    </>
  );
}

type HealthProps = { connection: Connection; isConnected: boolean };

function Health({ connection, isConnected }: HealthProps) {
  const { since, parted, paused, restriction, last_receipt_at: lastReceipt, uptime } = connection;
  const { timezone } = useUser();
  return (
    <section className="stack gap-12">
      <h4>Sambungan</h4>
      {parted && !isConnected && (
        <Alert
          visible
          state="danger"
          label={`Terputus sejak ${formatDateTime(parted.at, timezone)}.`}
        >
          <p>{partings[parted.reason]}</p>
        </Alert>
      )}
      {paused && isConnected && (
        <Alert visible state="warning" label={pauses[paused.reason]}>
          <p>
            Sejak {formatDateTime(paused.at, timezone)}; dicoba lagi{' '}
            {formatDateTime(paused.until, timezone)}.
          </p>
        </Alert>
      )}
      {restriction && <Restricted {...restriction} />}
      <Facts
        facts={[
          {
            term: 'Tersambung sejak',
            is: since && isConnected ? <DateTime at={since} /> : 'Tidak tersambung',
          },
          { term: 'Waktu aktif 30 hari', is: <span className="num">{uptimeWords(uptime)}</span> },
          {
            term: 'Laporan terakhir',
            is: lastReceipt ? <DateTime at={lastReceipt} /> : 'Belum ada',
          },
          { term: 'Pembatasan', is: restriction ? 'Ada, lihat di atas' : 'Tidak ada' },
        ]}
      />
    </section>
  );
}

type RestrictedProps = { kind: Restriction; at: Date; until: Date | null };

function Restricted({ kind, at, until }: RestrictedProps) {
  const { timezone } = useUser();
  return (
    <Alert visible state="warning" label={restrictions[kind]}>
      <p>
        Sejak {formatDateTime(at, timezone)},{' '}
        {until
          ? `sampai ${formatDateTime(until, timezone)}.`
          : 'sampai jaringannya mencabutnya; tidak ada waktu pasti.'}
      </p>
    </Alert>
  );
}
