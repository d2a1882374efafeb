import { useQuery } from '@tanstack/react-query';
import { rupiah } from '#contract/base/money.ts';
import type { Campaign } from '#contract/campaigns.ts';
import { costByPlan, type CostFigures } from '#web/features/campaigns/draft/cost.ts';
import type { DraftValues } from '#web/features/campaigns/draft/content.ts';
import { templatesQuery } from '#web/features/campaigns/draft/templatesQuery.ts';
import { durationWords, paceOf } from '#web/features/campaigns/labels.ts';
import { saldoQuery } from '#web/features/saldo/saldo.ts';
import { channelsQuery } from '#web/features/tokens/tokens.ts';

export function useCost(
  { token, token_pace }: Pick<Campaign, 'token' | 'token_pace'>,
  values: DraftValues,
): (messages: number) => CostFigures {
  const { data: saldo } = useQuery(saldoQuery);
  const isCloud = token.channel === 'cloud';
  const price = useCloudPrice(token, values);
  const perMinute = paceOf({ pace: Number(values.pace) || null, token_pace });
  return (messages) => {
    const byPlan = saldo && !isCloud ? costByPlan(messages, saldo) : undefined;
    return {
      messages,
      quota: byPlan?.quota ?? 0,
      cost: price === undefined ? byPlan?.cost : rupiah(messages * price),
      available: saldo?.available,
      isBonus: saldo?.bonus_only === true && token.channel !== 'simulator',
      duration: durationWords(messages, perMinute),
    };
  };
}

/** The price of one Cloud API message, by category; undefined for other channels. */
function useCloudPrice(
  { id, channel }: Campaign['token'],
  { type, template: chosen }: DraftValues,
): number | undefined {
  const isCloud = channel === 'cloud';
  const isTemplate = type === 'template';
  const { data: channels } = useQuery({ ...channelsQuery, enabled: isCloud });
  const { data: templates } = useQuery({
    ...templatesQuery(id),
    enabled: isCloud && isTemplate,
  });
  if (!isCloud) return undefined;
  const template = templates?.find(({ name, language }) => `${name}:${language}` === chosen);
  const category = isTemplate ? template?.category : 'service';
  const prices = channels?.find(({ channel }) => channel === 'cloud')?.prices;
  return prices?.find((one) => one.category === category)?.price;
}
