import { TimeAgo } from '#web/ui/time/DateTime.tsx';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useMemo } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import type { HomeSummary } from '#contract/messages.ts';
import { useUser } from '#web/api/user.ts';
import { PeerName, ScheduledFor } from '#web/features/messages/messages.ts';
import { StatusMark } from '#web/features/messages/messages.ts';
import { excerptOf, hasCost } from '#web/features/messages/messages.ts';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';

type Row = HomeSummary['newest'][number];

/** One message stands for all recent ones of its campaign. */
const standsFor = ({ campaign }: Row) => (campaign && campaign.messages > 1 ? campaign : undefined);

const columns = (zone: string): readonly Column<Row>[] => [
  {
    id: 'peer',
    title: 'Nomor',
    width: 190,
    whole: true,
    cell: (message) => {
      const campaign = standsFor(message);
      if (!campaign) return <PeerName peer={message.peer} name={message.peer_name} />;
      return (
        <>
          Kiriman <bdi>{campaign.name}</bdi>
        </>
      );
    },
    phone: 'title',
  },
  {
    id: 'excerpt',
    title: 'Pesan',
    width: 320,
    cell: (message) => <bdi className="block truncate">{excerptOf(message)}</bdi>,
    phone: 'line',
  },
  {
    id: 'status',
    title: 'Status',
    width: 180,
    cell: (message) => {
      const campaign = standsFor(message);
      if (campaign) return `${formatNumber(campaign.messages)} pesan`;
      return (
        <>
          <StatusMark status={message.status} />
          <ScheduledFor message={message} zone={zone} />
        </>
      );
    },
    phone: 'note',
  },
  {
    id: 'price',
    title: 'Biaya',
    align: 'end',
    width: 100,
    whole: true,
    fills: hasCost,
    cell: (message) => !standsFor(message) && hasCost(message) && <Money amount={message.price} />,
    phone: 'fact',
  },
  {
    id: 'created_at',
    title: 'Waktu',
    align: 'end',
    width: 150,
    cell: ({ created_at: at }) => <TimeAgo at={at} className="faint nowrap" />,
    phone: 'aside',
  },
];

/** The newest messages; each opens its details in the history, or its campaign. Undefined while loading. */
export function Newest({ messages }: { messages: readonly Row[] | undefined }) {
  const { timezone } = useUser();
  const shown = useMemo(() => columns(timezone), [timezone]);
  return (
    <Panel title="Pesan terbaru" tools={<Link to="/message-history">Semua pesan</Link>}>
      <DataTable
        caption="Pesan terbaru"
        columns={shown}
        rows={messages ?? []}
        loading={messages === undefined}
        rowKey={({ id }) => id}
        view={{ page: 0 }}
        onView={() => undefined}
        totalPages={1}
        onOpen={(message) => {
          const campaign = standsFor(message);
          void (campaign
            ? navigate({ to: '/message-history/kiriman', search: { open: campaign.id } })
            : navigate({ to: '/message-history', search: { open: message.id } }));
        }}
      />
    </Panel>
  );
}
