import { useQueryClient } from '@tanstack/react-query';
import { checkTopup, type Topup } from '#contract/saldo.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { topupQuery } from '#web/features/saldo/queries.ts';
import { Button } from '#web/ui/button/Button.tsx';

/** Queries the gateway at once, for people who do not want to wait for its notice. */
export function CheckPaid({ topup }: { topup: Topup }) {
  const client = useQueryClient();
  const check = useAct(checkTopup, {
    onSuccess: (after) => void client.setQueryData(topupQuery(after.id).queryKey, after),
  });
  const isUnpaid = check.data?.status === 'pending' && !check.busy;
  return (
    <div className="grid gap-8">
      <Button
        variant="subtle"
        block
        busy={check.busy}
        onClick={() => check.mutate({ topup_id: topup.id })}
      >
        Saya sudah bayar
      </Button>
      <p role="status" className="small muted pretty text-center hide-empty">
        {check.error && !check.busy && sentenceOf(check.error)}
        {isUnpaid &&
          'Pembayarannya belum kami terima. Biasanya masuk dalam satu menit; halaman ini berubah otomatis.'}
      </p>
    </div>
  );
}
