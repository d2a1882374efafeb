import { useQuery } from '@tanstack/react-query';
import { formatNumber, rupiah } from '#contract/base/money.ts';
import type { Campaign } from '#contract/campaigns/campaign.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { templatesQuery } from '#web/features/campaigns/draft/ContentFields.tsx';
import type { DraftValues } from '#web/features/campaigns/draft/content.ts';
import { durationWords } from '#web/features/campaigns/labels.ts';
import { saldoQuery } from '#web/features/saldo/saldo.ts';
import { channelsQuery } from '#web/features/tokens/tokens.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Facts } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

type Props = { campaign: Campaign; values: DraftValues };

/** What a draft will cost, how long it takes, and whether the saldo holds it. */
export function CostFacts({ campaign, values }: Props) {
  const { waiting } = campaign.recipients;
  const { data: saldo } = useQuery(saldoQuery);
  const price = usePrice(campaign, values);
  const quota = campaign.token.channel === 'cloud' ? 0 : Math.min(saldo?.quota_left ?? 0, waiting);
  const cost = price === undefined ? undefined : rupiah((waiting - quota) * price);
  const perMinute = Math.min(Number(values.pace) || campaign.token_pace, campaign.token_pace);
  const isShort = saldo !== undefined && cost !== undefined && cost > saldo.available;
  return (
    <>
      <Facts
        facts={[
          { term: 'Penerima', is: formatNumber(waiting) },
          ...(quota > 0 ? [{ term: 'Dari kuota paket', is: `${formatNumber(quota)} pesan` }] : []),
          {
            term: 'Biaya',
            is: cost === undefined ? <Skeleton width={88} /> : <Money amount={cost} />,
          },
          {
            term: 'Saldo tersedia',
            is: saldo ? <Money amount={saldo.available} /> : <Skeleton width={88} />,
          },
          { term: 'Lamanya', is: durationWords(waiting, perMinute) },
        ]}
      />
      <Alert
        state="warning"
        visible={isShort}
        label="Saldo tidak cukup untuk semua penerima. Kiriman akan dijeda saat saldo habis."
      >
        <p>
          <Link to="/saldo" search={{ new: '1' }}>
            Isi saldo
          </Link>
        </p>
      </Alert>
    </>
  );
}

/** What one message costs beyond the quota: by the Cloud API that of the template's category. */
function usePrice({ token }: Campaign, { type, template: chosen }: DraftValues) {
  const isCloud = token.channel === 'cloud';
  const { data: saldo } = useQuery(saldoQuery);
  const { data: channels } = useQuery({ ...channelsQuery, enabled: isCloud });
  const { data: templates } = useQuery({
    ...templatesQuery,
    enabled: isCloud && type === 'template',
  });
  if (!isCloud) return saldo?.message_price;
  const template = templates?.find(({ name, language }) => `${name}:${language}` === chosen);
  const category = type === 'template' ? template?.category : 'service';
  const prices = channels?.find(({ channel }) => channel === 'cloud')?.prices;
  return prices?.find((one) => one.category === category)?.price;
}
