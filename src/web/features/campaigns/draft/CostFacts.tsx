import { formatNumber, formatRupiah } from '#contract/base/money.ts';
import { missingOf, type CostFigures } from '#web/features/campaigns/draft/cost.ts';
import { TopupLink } from '#web/features/campaigns/draft/TopupLink.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Facts } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

type Props = { figures: CostFigures; campaignId: string };

export function CostFacts({ figures, campaignId }: Props) {
  const { messages, quota, cost, available, isBonus, duration } = figures;
  const missing = missingOf(figures);
  return (
    <>
      <Facts
        facts={[
          { term: 'Penerima', is: formatNumber(messages) },
          ...(quota > 0 ? [{ term: 'Dari kuota paket', is: `${formatNumber(quota)} pesan` }] : []),
          {
            term: 'Biaya',
            is: cost === undefined ? <Skeleton width={88} /> : <Money amount={cost} />,
          },
          {
            term: 'Saldo tersedia',
            is: available === undefined ? <Skeleton width={88} /> : <Money amount={available} />,
          },
          { term: 'Lamanya', is: duration },
        ]}
      />
      <Alert
        state="warning"
        visible={missing > 0 && !isBonus}
        label={`Saldo kurang ${formatRupiah(missing)} untuk semua penerima. Kiriman dijeda saat saldo habis, dan dapat dilanjutkan setelah diisi.`}
      >
        <p>
          <TopupLink figures={figures} campaignId={campaignId} />
        </p>
      </Alert>
      <Alert
        state="warning"
        visible={isBonus}
        label={
          <>
            Bonus selamat datang hanya dapat dipakai ke nomor Anda sendiri dan nomor simulator.{' '}
            <TopupLink figures={figures} campaignId={campaignId} /> agar penerima lain juga
            dikirimi.
          </>
        }
      />
    </>
  );
}
