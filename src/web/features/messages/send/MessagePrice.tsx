import { formatNumber, type Rupiah } from '#contract/base/money.ts';
import { Money } from '#web/ui/money/Money.tsx';

type Props = { price: Rupiah | 'quota'; left: number };

/** The price of the next message: an amount, or the `left` quota of the plan. */
export const MessagePrice = ({ price, left }: Props) =>
  price === 'quota' ? (
    `Termasuk kuota paket (sisa ${formatNumber(left)})`
  ) : (
    <Money amount={price} />
  );
