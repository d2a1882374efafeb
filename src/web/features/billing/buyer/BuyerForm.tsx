import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type BillingProfile, saveBillingProfile } from '#contract/billing.ts';
import { formatNpwp } from '#web/features/billing/labels.ts';
import { buyerQuery } from '#web/features/billing/queries.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { FormSkeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

export function BuyerForm() {
  const buyer = useQuery(buyerQuery);
  return (
    <Panel title="Data untuk tagihan">
      <p className="mb-16 muted pretty measure">
        Tercantum pada tagihan yang dibuat sesudah disimpan. Semua isian boleh dikosongkan; tanpa
        nama usaha, tagihan memakai nama akun Anda.
      </p>
      {buyer.data && <Fields buyer={buyer.data} />}
      {buyer.isError && !buyer.data && <WentWrong query={buyer} />}
      {buyer.isPending && <FormSkeleton fields={[44, 44, 84]} />}
    </Panel>
  );
}

function Fields({ buyer }: { buyer: BillingProfile }) {
  const client = useQueryClient();
  const { form, onSubmit, busy, error } = useActForm(saveBillingProfile, {
    initial: valuesOf(buyer),
    inputOf: (values) => values,
    onDone: (after) => {
      client.setQueryData(buyerQuery.queryKey, after);
      form.set('npwp', valuesOf(after).npwp);
      toast('Data untuk tagihan disimpan.', { tone: 'success' });
    },
  });
  return (
    <form ref={form.ref} noValidate className="stack gap-16 max-w-672" onSubmit={onSubmit}>
      <RefusalAlert error={error} fields={['name', 'npwp', 'address', 'email']} />
      <TextField
        label="Nama usaha"
        autoComplete="organization"
        maxLength={120}
        {...form.field('name')}
      />
      <TextField
        label="NPWP"
        inputMode="numeric"
        autoComplete="off"
        help="15 atau 16 angka; titik dan strip boleh ditulis."
        {...form.field('npwp')}
      />
      <TextArea
        label="Alamat"
        rows={3}
        autoComplete="street-address"
        maxLength={300}
        {...form.field('address')}
      />
      <TextField
        label="Alamat email untuk tagihan"
        type="email"
        autoComplete="email"
        {...form.field('email')}
      />
      <div>
        <Button type="submit" variant="subtle" busy={busy}>
          Simpan data tagihan
        </Button>
      </div>
    </form>
  );
}

const valuesOf = ({ name, npwp, address, email }: BillingProfile) => ({
  name: name ?? '',
  npwp: npwp ? formatNpwp(npwp) : '',
  address: address ?? '',
  email: email ?? '',
});
