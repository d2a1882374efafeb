import { formatNumber } from '#contract/base/money.ts';
import {
  type Broadcast,
  type BroadcastState,
  broadcastAudienceLabel,
  broadcastStateLabel,
  operatorBroadcasts,
  stopBroadcast,
} from '#contract/operator/broadcasts.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { BroadcastNotice } from '#web/features/broadcasts/broadcasts.ts';
import { BroadcastForm } from '#web/features/operator/broadcasts/BroadcastForm.tsx';
import { useConfirmedAct } from '#web/features/operator/OperatorForm.tsx';
import { By, OperatorFrame, RecordDrawer } from '#web/features/operator/OperatorFrame.tsx';
import { momentColumn, OperatorList } from '#web/features/operator/OperatorList.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Facts, Row } from '#web/ui/panel/Panel.tsx';
import { StatusChip, type Tone } from '#web/ui/status/StatusChip.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const broadcastTones: Record<BroadcastState, Tone> = {
  scheduled: 'info',
  shown: 'success',
  over: 'neutral',
  stopped: 'warning',
};

const audienceWords = ({ audience, plan }: Pick<Broadcast, 'audience' | 'plan'>): string =>
  plan === null ? broadcastAudienceLabel[audience] : `Paket ${plan}`;

const wayWords = ({ by_push, by_message }: Pick<Broadcast, 'by_message' | 'by_push'>): string =>
  ['Spanduk', ...(by_push ? ['push'] : []), ...(by_message ? ['pesan'] : [])].join(', ');

const deliveryWords = ({ people, waiting }: Broadcast['told']): string =>
  `${formatNumber(people - waiting)} dari ${formatNumber(people)} orang`;

const State = ({ state }: Pick<Broadcast, 'state'>) => (
  <StatusChip tone={broadcastTones[state]}>{broadcastStateLabel[state]}</StatusChip>
);

const columns: readonly Column<Broadcast>[] = [
  { id: 'title', title: 'Judul', width: 240, phone: 'title', cell: ({ title }) => title },
  { id: 'state', title: 'Status', width: 130, phone: 'aside', cell: State },
  { id: 'audience', title: 'Untuk', width: 230, phone: 'line', cell: audienceWords },
  { id: 'ways', title: 'Lewat', width: 170, phone: 'fact', cell: wayWords },
  momentColumn({ id: 'from', title: 'Mulai', phone: 'fact', at: ({ from }) => from }),
  momentColumn({ id: 'until', title: 'Sampai', phone: 'fact', at: ({ until }) => until }),
  {
    id: 'closed',
    title: 'Ditutup',
    align: 'end',
    width: 110,
    phone: 'fact',
    cell: ({ closed }) => <span className="num">{formatNumber(closed)}</span>,
  },
];

const openAt = (open: string | undefined): void =>
  void navigate({ to: '/operator/pengumuman', change: { open }, resetScroll: false });

const NEW = 'baru';
const LOOK_MS = 5_000;

/** Route `/operator/pengumuman`: broadcasts to customers. */
export function BroadcastsPage() {
  const { open } = useSearch('/operator/pengumuman');
  const close = () => openAt(undefined);
  return (
    <OperatorFrame
      title="Pengumuman"
      context="Tampil di atas semua halaman pelanggan sampai mereka menutupnya."
      action={<Button onClick={() => openAt(NEW)}>Buat pengumuman</Button>}
    >
      <OperatorList
        to="/operator/pengumuman"
        act={operatorBroadcasts}
        everyMs={LOOK_MS}
        caption="Pengumuman"
        columns={columns}
        rowKey={({ id }) => id}
        empty={{
          title: 'Belum ada pengumuman',
          text: 'Kabarkan libur atau perubahan harga kepada semua pelanggan sekaligus.',
        }}
        drawer={{
          name: 'Pengumuman',
          title: ({ title }) => title,
          missing: 'Pengumuman ini tidak ada di halaman yang sedang ditampilkan.',
          except: NEW,
          children: (broadcast, { setDirty }) => (
            <>
              <BroadcastDetails broadcast={broadcast} />
              {broadcast.state === 'scheduled' && (
                <BroadcastForm broadcast={broadcast} onDone={close} onDirty={setDirty} />
              )}
            </>
          ),
        }}
      />
      {open === NEW && (
        <RecordDrawer title="Pengumuman baru" onClose={close}>
          {(setDirty) => <BroadcastForm broadcast={undefined} onDone={close} onDirty={setDirty} />}
        </RecordDrawer>
      )}
    </OperatorFrame>
  );
}

function BroadcastDetails({ broadcast }: { broadcast: Broadcast }) {
  const { state, from, until, told, created_by, created_at, stopped_by, stopped_at } = broadcast;
  const isSent = broadcast.by_push || broadcast.by_message;
  const number = (value: number) => <span className="num">{formatNumber(value)}</span>;
  return (
    <>
      <Row>
        <State state={state} />
      </Row>
      {state !== 'scheduled' && <BroadcastNotice {...broadcast} />}
      <Facts
        facts={[
          { term: 'Untuk', is: audienceWords(broadcast) },
          { term: 'Lewat', is: wayWords(broadcast) },
          { term: 'Mulai', is: <DateTime at={from} /> },
          { term: 'Sampai', is: <DateTime at={until} /> },
          { term: 'Dibuat', is: <By name={created_by} at={created_at} /> },
          stopped_at && { term: 'Dihentikan', is: <By name={stopped_by} at={stopped_at} /> },
          { term: 'Menutupnya', is: number(broadcast.closed) },
          ...(isSent && state !== 'scheduled'
            ? [
                { term: 'Diberi tahu', is: deliveryWords(told) },
                { term: 'Push', is: number(told.pushed) },
                { term: 'Pesan terkirim', is: number(told.sent) },
                { term: 'Menolak pesan (STOP)', is: number(told.opted_out) },
                { term: 'Pesan gagal', is: number(told.failed) },
              ]
            : []),
        ]}
      />
      {(state === 'shown' || state === 'scheduled') && <Stop broadcast={broadcast} />}
    </>
  );
}

function Stop({ broadcast: { id, state } }: { broadcast: Broadcast }) {
  const stop = useConfirmedAct(stopBroadcast);
  const ask = () =>
    stop(
      { broadcast_id: id },
      {
        title: 'Hentikan pengumuman ini?',
        text:
          state === 'scheduled'
            ? 'Pengumuman ini tidak akan tayang.'
            : 'Spanduknya hilang dari semua pelanggan, dan yang belum diberi tahu tidak diberi tahu lagi.',
        button: 'Hentikan',
        tone: 'danger',
        said: 'Pengumuman dihentikan.',
      },
    );
  return (
    <Row>
      <Button variant="outline" tone="danger" onClick={ask}>
        Hentikan sekarang
      </Button>
    </Row>
  );
}
