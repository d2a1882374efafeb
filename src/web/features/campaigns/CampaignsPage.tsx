import { Plus } from 'lucide-react';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { CampaignTable } from '#web/features/campaigns/CampaignTable.tsx';
import { CampaignView } from '#web/features/campaigns/CampaignView.tsx';
import { NewCampaign } from '#web/features/campaigns/draft/NewCampaign.tsx';
import { useCampaignChanged } from '#web/features/campaigns/queries.ts';
import { MessagesHead, useHeadLabel } from '#web/features/messages/messages.ts';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';

/**
 * Route `/message-history/kiriman`: campaigns; `view=new` for a new list, `open` for one of them.
 */
export function CampaignsPage() {
  const { view, open } = useSearch('/message-history/kiriman');
  const changed = useCampaignChanged();
  if (open !== undefined) return <CampaignView key={open} id={open} />;
  if (view === 'new') {
    return (
      <>
        <PageHead
          title="Kirim ke banyak nomor"
          context={<Link to="/message-history/kiriman">Kembali ke daftar kiriman</Link>}
        />
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
      </>
    );
  }
  return (
    <>
      <MessagesHead current="campaigns" action={<NewCampaignLink />} />
      <CampaignTable />
    </>
  );
}

const NewCampaignLink = () => (
  <LinkButton
    to="/message-history/kiriman"
    search={{ view: 'new' }}
    icon={<Plus size={18} aria-hidden="true" />}
    {...useHeadLabel('Kiriman baru')}
  />
);
