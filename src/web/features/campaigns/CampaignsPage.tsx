import { TimeAgo } from '#web/ui/time/DateTime.tsx';
import { useQuery } from '@tanstack/react-query';
import { Plus, Megaphone } from 'lucide-react';
import { OPEN_CAMPAIGNS_MAX, type Campaign, listCampaigns } from '#contract/campaigns.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { NewCampaign } from '#web/features/campaigns/draft/NewCampaign.tsx';
import {
  campaignsFullQuery,
  useCampaignChanged,
  campaignQuery,
} from '#web/features/campaigns/queries.ts';
import { MessagesHead, useHeadLabel } from '#web/features/messages/messages.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { Stack, Row } from '#web/ui/panel/Panel.tsx';
import { useMemo } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { formatDateTimeZone } from '#contract/base/time.ts';
import { useUser } from '#web/api/user.ts';
import { ProgressBar, recipientsOf } from '#web/features/campaigns/progress/ProgressBar.tsx';
import { scheduledAt, stateOf } from '#web/features/campaigns/labels.ts';
import styles from '#web/features/campaigns/campaigns.module.css';
import { classes } from '#web/ui/classes.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';
import { isNotFound } from '#web/api/errors.ts';
import { DraftEditor } from '#web/features/campaigns/draft/DraftEditor.tsx';
import { CampaignProgress } from '#web/features/campaigns/progress/CampaignProgress.tsx';
import { FormSkeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

/**
 * Route `/message-history/kiriman`: campaigns; `view=new` for a new list, `open` for one of them.
 */
export function CampaignsPage() {
  const { view, open } = useSearch('/message-history/kiriman');
  const changed = useCampaignChanged();
  const { data: isFull = false } = useQuery(campaignsFullQuery);
  if (open !== undefined) return <CampaignView key={open} id={open} />;
  if (view === 'new') {
    return (
      <>
        <PageHead
          title="Kirim ke banyak nomor"
          context={<Link to="/message-history/kiriman">Kembali ke daftar kiriman</Link>}
        />
        {isFull ? (
          <Full />
        ) : (
          <NewCampaign
            onMade={(campaign) => {
              changed(campaign);
              void navigate({
                to: '/message-history/kiriman',
                search: { open: campaign.id },
                replace: true,
              });
            }}
          />
        )}
      </>
    );
  }
  return (
    <>
      <MessagesHead current="campaigns" action={<NewCampaignLink isFull={isFull} />} />
      <Stack gap={16}>
        {isFull && <Full />}
        <CampaignTable />
      </Stack>
    </>
  );
}

const FULL = 'kiriman-penuh';

function NewCampaignLink({ isFull }: { isFull: boolean }) {
  const look = {
    icon: <Plus size={18} />,
    ...useHeadLabel('Kiriman baru'),
  };
  return isFull ? (
    <Button {...look} disabled aria-describedby={FULL} />
  ) : (
    <LinkButton {...look} to="/message-history/kiriman" search={{ view: 'new' }} />
  );
}

const Full = () => (
  <Alert
    id={FULL}
    state="info"
    visible
    label={`Sudah ada ${OPEN_CAMPAIGNS_MAX} kiriman massal yang belum selesai. Hapus draf yang tidak diperlukan, atau tunggu sampai ada yang selesai.`}
  />
);

/** The interval for refetching rows whose progress may grow. */
const EVERY_MS = 5_000;

const columns = (zone: string): readonly Column<Campaign>[] => [
  {
    id: 'name',
    title: 'Nama',
    width: 260,
    phone: 'title',
    cell: ({ name, token }) => (
      <span className="grid justify-items-start gap-4 min-w-0">
        <bdi className="max-w-full clip strong">{name}</bdi>
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
    cell: ({ created_at: at }) => <TimeAgo at={at} />,
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

function CampaignTable() {
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

function CampaignView({ id }: { id: string }) {
  const { data: campaign, error, refetch } = useQuery(campaignQuery(id));
  return (
    <>
      <PageHead
        title={campaign?.name ?? 'Kiriman massal'}
        context={
          <Row>
            <Link to="/message-history/kiriman">Kembali ke daftar kiriman</Link>
            {campaign && <CampaignStateChip campaign={campaign} />}
            {campaign && (
              <span>
                dari <bdi>{campaign.token.name}</bdi>
              </span>
            )}
          </Row>
        }
      />
      {campaign ? (
        <Content campaign={campaign} />
      ) : error ? (
        isNotFound(error) ? (
          <EmptyState title="Kiriman ini tidak ditemukan">
            Alamatnya mungkin salah tulis, atau kiriman ini sudah dihapus.
          </EmptyState>
        ) : (
          <WentWrong query={{ error, refetch }} />
        )
      ) : (
        <FormSkeleton fields={[44, 104, 44]} />
      )}
    </>
  );
}

const Content = ({ campaign }: { campaign: Campaign }) =>
  campaign.status === 'draft' ? (
    <DraftEditor campaign={campaign} />
  ) : (
    <CampaignProgress campaign={campaign} />
  );

function CampaignStateChip({ campaign }: { campaign: Campaign }) {
  const { label, tone } = stateOf(campaign, new Date());
  return <StatusChip tone={tone}>{label}</StatusChip>;
}
