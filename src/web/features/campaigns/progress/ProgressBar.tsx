import type { Campaign, RecipientCounts } from '#contract/campaigns.ts';
import { segmentsOf } from '#contract/messages/counts.ts';
import { formatNumber } from '#contract/base/money.ts';
import styles from '#web/features/campaigns/campaigns.module.css';
import { classes } from '#web/ui/classes.ts';
import { statusSegments } from '#web/features/messages/messages.ts';

/** All recipients of a campaign, including cancelled ones. */
export const recipientsOf = ({ waiting, placed, refused, cancelled }: RecipientCounts): number =>
  waiting + placed + refused + cancelled;

/** Recipients without the message: it failed, expired, or was not accepted. */
export const failedOf = ({ recipients, messages }: Campaign): number =>
  messages.failed + messages.expired + recipients.refused;

export function ProgressBar({ campaign }: { campaign: Campaign }) {
  const { recipients, messages } = campaign;
  const all = Math.max(1, recipientsOf(recipients));
  const parts = {
    ...segmentsOf(messages),
    waiting: messages.waiting,
    failed: failedOf(campaign),
  };
  const done = recipients.placed + recipients.refused;
  return (
    <span
      className={classes('flex bg-line overflow-hidden rounded-sm', styles['bar'])}
      role="progressbar"
      aria-label="Kemajuan"
      aria-valuemin={0}
      aria-valuemax={all}
      aria-valuenow={done}
      aria-valuetext={`${formatNumber(done)} dari ${formatNumber(all)} penerima`}
    >
      {statusSegments.map(
        ({ key, color }) =>
          parts[key] > 0 && (
            <span
              key={key}
              data-hue={color}
              style={{ inlineSize: `${(100 * parts[key]) / all}%` }}
            />
          ),
      )}
    </span>
  );
}
