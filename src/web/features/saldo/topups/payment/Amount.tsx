import { formatRupiah } from '#contract/base/money.ts';
import type { Topup } from '#contract/saldo.ts';
import { CopyField } from '#web/ui/copy/CopyField.tsx';

/** What is to be paid through a gateway: it takes no other amount. */
export const Amount = ({ topup }: { topup: Topup }) => (
  <CopyField
    label="Jumlah yang dibayar"
    value={String(topup.total)}
    look="amount"
    shown={formatRupiah(topup.total)}
  />
);
