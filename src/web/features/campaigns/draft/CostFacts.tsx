import { formatNumber } from '#contract/base/money.ts';
import { Link } from '#web/browser/router/Link.tsx';
import type { CostFigures } from '#web/features/campaigns/draft/useCost.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Facts } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

export function CostFacts({ figures }: { figures: CostFigures }) {
  const { messages, quota, cost, available, isBonus, duration } = figures;
  const isShort = cost !== undefined && available !== undefined && cost > available;
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
        visible={isShort && !isBonus}
        label="Saldo tidak cukup untuk semua penerima. Kiriman dijeda saat saldo habis, dan dapat dilanjutkan setelah diisi."
      />
      <Alert
        state="warning"
        visible={isBonus}
        label={
          <>
            Bonus selamat datang hanya dapat dipakai ke nomor Anda sendiri dan nomor simulator.{' '}
            <Link to="/saldo" search={{ new: '1' }}>
              Isi saldo
            </Link>{' '}
            agar penerima lain juga dikirimi.
          </>
        }
      />
    </>
  );
}
