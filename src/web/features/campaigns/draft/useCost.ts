import { useQuery } from '@tanstack/react-query';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import type { Campaign } from '#contract/campaigns/campaign.ts';
import type { DraftValues } from '#web/features/campaigns/draft/content.ts';
import { templatesQuery } from '#web/features/campaigns/draft/templatesQuery.ts';
import { durationWords, paceOf } from '#web/features/campaigns/labels.ts';
import { saldoQuery } from '#web/features/saldo/saldo.ts';
import { channelsQuery } from '#web/features/tokens/tokens.ts';

/** What so many messages come to; undefined where it is not known yet. */
export type CostFigures = {
  messages: number;
  /** Of them, those that the plan's quota pays for. */
  quota: number;
  cost: Rupiah | undefined;
  available: Rupiah | undefined;
  /** How long they take, in words. */
  duration: string;
};

/** Reckons what a draft's messages come to, for any number of them. */
export function useCost(
  { token, token_pace }: Pick<Campaign, 'token' | 'token_pace'>,
  values: DraftValues,
): (messages: number) => CostFigures {
  const { data: saldo } = useQuery(saldoQuery);
  const price = usePrice(token.channel === 'cloud', values);
  const perMinute = paceOf({ pace: Number(values.pace) || null, token_pace });
  return (messages) => {
    const quota = token.channel === 'cloud' ? 0 : Math.min(saldo?.quota_left ?? 0, messages);
    return {
      messages,
      quota,
      cost: price === undefined ? undefined : rupiah((messages - quota) * price),
      available: saldo?.available,
      duration: durationWords(messages, perMinute),
    };
  };
}

/** What one message costs beyond the quota: by the Cloud API that of the template's category. */
function usePrice(isCloud: boolean, { type, template: chosen }: DraftValues): number | undefined {
  const isTemplate = type === 'template';
  const { data: saldo } = useQuery(saldoQuery);
  const { data: channels } = useQuery({ ...channelsQuery, enabled: isCloud });
  const { data: templates } = useQuery({ ...templatesQuery, enabled: isCloud && isTemplate });
  if (!isCloud) return saldo?.message_price;
  const template = templates?.find(({ name, language }) => `${name}:${language}` === chosen);
  const category = isTemplate ? template?.category : 'service';
  const prices = channels?.find(({ channel }) => channel === 'cloud')?.prices;
  return prices?.find((one) => one.category === category)?.price;
}
