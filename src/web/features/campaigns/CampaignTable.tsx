import { Megaphone } from 'lucide-react';
import { useMemo } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { formatAgo, formatDateTime, formatDateTimeZone } from '#contract/base/time.ts';
import { type Campaign, listCampaigns } from '#contract/campaigns.ts';
import { useUser } from '#web/api/user.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { CampaignStateChip } from '#web/features/campaigns/CampaignStateChip.tsx';
import { ProgressBar, recipientsOf } from '#web/features/campaigns/progress/ProgressBar.tsx';
import { scheduledAt } from '#web/features/campaigns/labels.ts';
import styles from '#web/features/campaigns/campaigns.module.css';
import { classes } from '#web/ui/classes.ts';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';

/** The interval for refetching rows whose progress may grow. */
const EVERY_MS = 5_000;

const columns = (zone: string): readonly Column<Campaign>[] => [
  {
    id: 'name',
    title: 'Nama',
    width: 260,
    phone: 'title',
    cell: ({ name, token }) => (
      <span className={classes('grid justify-items-start gap-4 min-w-0', styles['name'])}>
        <bdi>{name}</bdi>
        <span className="small faint regular">
          dari <bdi>{token.name}</bdi>
        </span>
      </span>
    ),
  },
  {
    id: 'status',
    title: 'Status',
    width: 150,
    whole: true,
    phone: 'aside',
    cell: (campaign) => <CampaignStateChip campaign={campaign} />,
  },
  {
    id: 'progress',
    title: 'Kemajuan',
    width: 240,
    phone: 'line',
    cell: (campaign) => <Progress campaign={campaign} zone={zone} />,
  },
  {
    id: 'cost',
    title: 'Biaya',
    width: 110,
    align: 'end',
    whole: true,
    phone: 'fact',
    // Within the quota there is no cost to show.
    fills: ({ cost }) => cost > 0,
    cell: ({ cost }) => cost > 0 && <Money amount={cost} />,
  },
  {
    id: 'created_at',
    title: 'Dibuat',
    sortable: true,
    width: 140,
    phone: 'note',
    cell: ({ created_at: at }) => (
      <time dateTime={at.toISOString()} title={formatDateTime(at, zone)}>
        {formatAgo(at, undefined, zone)}
      </time>
    ),
  },
];

function Progress({ campaign, zone }: { campaign: Campaign; zone: string }) {
  const { recipients } = campaign;
  const { waiting, placed, refused } = recipients;
  if (campaign.status === 'draft') return `${formatNumber(waiting)} penerima`;
  const at = scheduledAt(campaign, new Date());
  if (at) return `Mulai ${formatDateTimeZone(at, zone)}`;
  return (
    <span className={classes('grid justify-items-start gap-4 min-w-0', styles['progress'])}>
      <ProgressBar campaign={campaign} />
      <span className="small faint regular">
        {formatNumber(placed + refused)} dari {formatNumber(recipientsOf(recipients))}
      </span>
    </span>
  );
}

export function CampaignTable() {
  const { timezone } = useUser();
  const { view, onView } = useAddressView('/message-history/kiriman', {
    sorts: ['created_at'],
    top: true,
  });
  const list = useList(listCampaigns, {}, view, { everyMs: EVERY_MS });
  const shown = useMemo(() => columns(timezone), [timezone]);
  return (
    <DataTable
      {...list.table}
      caption="Kiriman massal, yang terbaru lebih dulu kecuali diurutkan lain"
      columns={shown}
      rowKey={({ id }) => id}
      onView={onView}
      onOpen={({ id }) => void navigate({ to: '/message-history/kiriman', search: { open: id } })}
      empty={
        <NoRows list={list}>
          <EmptyState
            icon={<Megaphone size={24} />}
            title="Satu pesan untuk banyak pelanggan"
            action={
              <LinkButton to="/message-history/kiriman" search={{ view: 'new' }} variant="subtle">
                Kirim ke banyak nomor
              </LinkButton>
            }
          >
            Unggah daftar nomor, tulis pesannya sekali, dan sapa setiap orang dengan namanya. Biaya
            dan lamanya terlihat sebelum dikirim.
          </EmptyState>
        </NoRows>
      }
    />
  );
}
