import { Link } from '#web/browser/router/Link.tsx';
import { missingOf, type CostFigures } from '#web/features/campaigns/draft/cost.ts';

type Props = { figures: CostFigures; campaignId: string };

/** Links to a top-up of the amount that a campaign lacks; once paid, that page links back here. */
export const TopupLink = ({ figures, campaignId }: Props) => (
  <Link
    to="/saldo"
    search={{ new: '1', amount: missingOf(figures) || undefined, campaign: campaignId }}
  >
    Isi saldo
  </Link>
);
