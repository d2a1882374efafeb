import { useQuery } from '@tanstack/react-query';
import type { Rupiah } from '#contract/base/money.ts';
import type { SaldoSummary } from '#contract/saldo-summary.ts';
import type { ChannelName } from '#contract/tokens.ts';
import { channelsQuery } from '#web/features/tokens/tokens.ts';

/**
 * The price of the next message without a template, or that the plan's quota covers it; the quota covers none by the
 * Cloud API, which has prices of its own. Undefined while it is unknown.
 */
export function useMessagePrice(
  channel: ChannelName | undefined,
  saldo: SaldoSummary | undefined,
): Rupiah | 'quota' | undefined {
  const { data: channels } = useQuery({ ...channelsQuery, enabled: channel === 'cloud' });
  if (!saldo || !channel) return undefined;
  if (channel !== 'cloud') return saldo.quota_left > 0 ? 'quota' : saldo.message_price;
  const prices = channels?.find((one) => one.channel === 'cloud')?.prices;
  return prices?.find(({ category }) => category === 'service')?.price;
}
