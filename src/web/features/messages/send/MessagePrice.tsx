import { formatNumber, type Rupiah } from '#contract/base/money.ts';
import { Money } from '#web/ui/money/Money.tsx';

type Props = { price: Rupiah | 'quota'; left: number };

/** What the next message costs: an amount, or how much of the plan's quota is `left` for it. */
export const MessagePrice = ({ price, left }: Props) =>
  price === 'quota' ? (
    `Termasuk kuota paket (sisa ${formatNumber(left)})`
  ) : (
    <Money amount={price} />
  );
