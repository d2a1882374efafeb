import { useQuery } from '@tanstack/react-query';
import type { Campaign } from '#contract/campaigns.ts';
import { isNotFound, sentenceOf } from '#web/api/errors.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { CampaignStateChip } from '#web/features/campaigns/CampaignStateChip.tsx';
import { DraftEditor } from '#web/features/campaigns/draft/DraftEditor.tsx';
import { CampaignProgress } from '#web/features/campaigns/progress/CampaignProgress.tsx';
import { campaignQuery } from '#web/features/campaigns/queries.ts';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Row } from '#web/ui/panel/Panel.tsx';
import { FormSkeleton } from '#web/ui/skeleton/Skeleton.tsx';

export function CampaignView({ id }: { id: string }) {
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
          <WentWrong message={sentenceOf(error)} onRetry={() => void refetch()} />
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
