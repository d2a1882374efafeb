import type { SubscriptionPreview } from '#contract/billing.ts';
import { formatDay } from '#web/features/billing/plan/usage.ts';

/** The figures a person agrees to. The saldo may change meanwhile and is only shown beside them. */
const agreedTo = (preview: SubscriptionPreview) => [
  preview.to.revision,
  preview.when,
  formatDay(preview.starts_at),
  preview.credit,
  preview.charge,
  preview.total,
  preview.quota,
  preview.next_charge?.at.getTime(),
  preview.next_charge?.amount,
];

export function sameFigures(one: SubscriptionPreview, other: SubscriptionPreview): boolean {
  const others = agreedTo(other);
  return agreedTo(one).every((figure, at) => figure === others[at]);
}
