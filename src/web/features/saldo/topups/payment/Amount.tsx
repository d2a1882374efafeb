import { formatRupiah } from '#contract/base/money.ts';
import type { Topup } from '#contract/saldo.ts';
import { CopyField } from '#web/ui/copy/CopyField.tsx';

/** The amount due at a gateway, which accepts no other. */
export const Amount = ({ topup }: { topup: Topup }) => (
  <CopyField
    label="Jumlah yang dibayar"
    value={String(topup.total)}
    look="amount"
    shown={formatRupiah(topup.total)}
  />
);
