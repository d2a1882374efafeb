import type { Campaign, RecipientCounts } from '#contract/campaigns.ts';
import { formatNumber } from '#contract/base/money.ts';
import styles from '#web/features/campaigns/campaigns.module.css';

/** All recipients of a campaign, including cancelled ones. */
export const recipientsOf = ({ waiting, placed, refused, cancelled }: RecipientCounts): number =>
  waiting + placed + refused + cancelled;

export function ProgressBar({ campaign }: { campaign: Campaign }) {
  const { recipients, messages } = campaign;
  const all = Math.max(1, recipientsOf(recipients));
  const parts = [
    { kind: 'read', n: messages.read },
    { kind: 'delivered', n: messages.delivered - messages.read },
    { kind: 'sent', n: messages.sent - messages.delivered },
    { kind: 'waiting', n: messages.waiting },
    { kind: 'failed', n: messages.failed + messages.expired + recipients.refused },
  ];
  const done = recipients.placed + recipients.refused;
  return (
    <span
      className={styles['bar']}
      role="progressbar"
      aria-label="Kemajuan"
      aria-valuemin={0}
      aria-valuemax={all}
      aria-valuenow={done}
      aria-valuetext={`${formatNumber(done)} dari ${formatNumber(all)} penerima`}
    >
      {parts.map(
        ({ kind, n }) =>
          n > 0 && (
            <span key={kind} data-kind={kind} style={{ inlineSize: `${(100 * n) / all}%` }} />
          ),
      )}
    </span>
  );
}
