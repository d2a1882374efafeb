import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type Connection,
  type Restriction,
  partings,
  pauses,
  restrictions,
  type CloudConnection,
  connectCloud,
} from '#contract/channels.ts';
import { formatDateTime } from '#contract/base/time.ts';
import type { Token } from '#contract/tokens.ts';
import { useUser } from '#web/api/user.ts';
import { uptimeWords } from '#web/features/tokens/channels/health.ts';
import { connectionQuery, cloudQuery } from '#web/features/tokens/channels/queries.ts';
import { LinkPart } from '#web/features/tokens/links/LinkPart.tsx';
import { UnofficialRisk } from '#web/features/scan/scan.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Facts } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { useEffect, useRef, useState } from 'react';
import { CloudForm } from '#web/features/tokens/channels/CloudForm.tsx';
import { CloudSetup, NewAccessButton } from '#web/features/tokens/channels/CloudSetup.tsx';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import { StatusChip, type Tone } from '#web/ui/status/StatusChip.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = { token: Token; linking: boolean };

export function ConnectionPart({ token, linking }: Props) {
  const { data, error, refetch } = useQuery(connectionQuery(token.id));
  const isShown = token.status !== 'suspended';
  return (
    <>
      {data === undefined && !error && <Skeleton height={18} lines={4} />}
      {error && data === undefined && <WentWrong query={{ error, refetch }} />}
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

type CloudPartProps = {
  token: Token;
  linking: boolean;
};

function CloudPart({ token, linking }: CloudPartProps) {
  const { data: cloud, error, refetch } = useQuery(cloudQuery(token.id));
  const [isEditing, setEditing] = useState(false);
  const [isFresh, setFresh] = useState(false);
  const client = useQueryClient();
  const changed = useTokenChanged();
  const part = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isFresh) part.current?.focus();
  }, [isFresh]);
  if (cloud === undefined) {
    return error ? <WentWrong query={{ error, refetch }} /> : <Skeleton height={18} lines={6} />;
  }
  const isConnected = token.phone !== null && cloud !== null;
  if (!isConnected || isEditing) {
    return (
      <section className="stack gap-12 p-16 border rounded-lg">
        <h4>{isConnected ? 'Access token baru' : 'Sambungkan nomor'}</h4>
        {!isConnected && (
          <p className="muted">
            Salin keempatnya dari app Anda di Meta. Kabari memeriksanya langsung ke Meta sebelum
            menyimpannya.
          </p>
        )}
        <CloudForm
          act={connectCloud}
          inputOf={(entered) => ({ token_id: token.id, ...entered })}
          known={cloud}
          isFirst={linking || isEditing}
          {...(isConnected && { onCancel: () => setEditing(false) })}
          onDone={(answer) => {
            client.setQueryData(cloudQuery(token.id).queryKey, answer.cloud);
            void client.invalidateQueries({ queryKey: connectionQuery(token.id).queryKey });
            changed(answer.token);
            setEditing(false);
            setFresh(true);
            toast('Nomor tersambung.', { tone: 'success' });
          }}
        />
      </section>
    );
  }
  return (
    <section ref={part} tabIndex={-1} className="stack gap-12">
      <h4>Nomor di Meta</h4>
      <Number cloud={cloud} />
      <CloudSetup cloud={cloud} />
      <div>
        <NewAccessButton status={token.status} onClick={() => setEditing(true)} />
      </div>
    </section>
  );
}

const qualities: Readonly<Record<string, { label: string; tone: Tone }>> = {
  GREEN: { label: 'Baik', tone: 'success' },
  YELLOW: { label: 'Sedang', tone: 'warning' },
  RED: { label: 'Rendah', tone: 'danger' },
};

const Number = ({ cloud }: { cloud: CloudConnection }) => {
  const quality = qualities[cloud.quality ?? ''];
  return (
    <Facts
      facts={[
        { term: 'Nama terverifikasi', is: <bdi>{cloud.verified_name ?? 'Belum ada'}</bdi> },
        {
          term: 'Mutu nomor',
          is: quality ? (
            <StatusChip tone={quality.tone}>{quality.label}</StatusChip>
          ) : (
            'Belum dinilai Meta'
          ),
        },
        { term: 'Phone number ID', is: <code>{cloud.phone_number_id}</code> },
        { term: 'WhatsApp Business Account ID', is: <code>{cloud.waba_id}</code> },
        {
          term: 'Kabar terakhir dari Meta',
          is: cloud.called_back_at ? <DateTime at={cloud.called_back_at} /> : 'Belum pernah',
        },
      ]}
    />
  );
};
