import { useQuery } from '@tanstack/react-query';
import { moneyOverview } from '#contract/operator/books.ts';
import { actQuery } from '#web/features/operator/operatorQuery.ts';
import { sellerGapWords } from '#web/features/operator/overview/problems.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';

export function SellerGaps() {
  const { data } = useQuery(actQuery(moneyOverview, {}));
  if (!data || data.seller.missing.length === 0) return null;
  return <Alert visible state="warning" label={sellerGapWords(data.seller)} />;
}
