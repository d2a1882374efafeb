import { Link } from '#web/browser/router/Link.tsx';
import { missingOf, type CostFigures } from '#web/features/campaigns/draft/cost.ts';

type Props = { figures: CostFigures; campaignId: string };

/** A top-up of what a campaign lacks; paid, it leads back to the campaign. */
export const TopupLink = ({ figures, campaignId }: Props) => (
  <Link
    to="/saldo"
    search={{ new: '1', amount: missingOf(figures) || undefined, campaign: campaignId }}
  >
    Isi saldo
  </Link>
);
