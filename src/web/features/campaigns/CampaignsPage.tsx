import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { OPEN_CAMPAIGNS_MAX } from '#contract/campaigns.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { CampaignTable } from '#web/features/campaigns/CampaignTable.tsx';
import { CampaignView } from '#web/features/campaigns/CampaignView.tsx';
import { NewCampaign } from '#web/features/campaigns/draft/NewCampaign.tsx';
import { campaignsFullQuery, useCampaignChanged } from '#web/features/campaigns/queries.ts';
import { MessagesHead, useHeadLabel } from '#web/features/messages/messages.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { Stack } from '#web/ui/panel/Panel.tsx';

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
    icon: <Plus size={18} aria-hidden="true" />,
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
