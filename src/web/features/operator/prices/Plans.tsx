import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatNumber, formatRupiah } from '#contract/base/money.ts';
import { listPlanDetails, type PlanDetails, savePlan } from '#contract/operator/books.ts';
import styles from '#web/features/operator/operator.module.css';
import { OperatorForm } from '#web/features/operator/OperatorForm.tsx';
import { AmountField } from '#web/ui/money/CurrencyField.tsx';
import { Entry, Loaded, Rows } from '#web/features/operator/OperatorFrame.tsx';
import { actQuery } from '#web/features/operator/operatorQuery.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

export function Plans() {
  const plans = useQuery(actQuery(listPlanDetails, {}));
  const [edited, setEdited] = useState<PlanDetails | 'new'>();
  const plan = edited === 'new' ? undefined : edited;
  return (
    <Panel
      title="Paket"
      tools={
        <Button variant="outline" tone="primary" size="sm" onClick={() => setEdited('new')}>
          Tambah paket
        </Button>
      }
    >
      <p className="muted">
        Perubahan menjadi revisi baru: pelanggan tetap memakai revisinya sampai perpanjangan
        berikutnya.
      </p>
      <Loaded query={plans} lines={4}>
        {({ plans: all }) => (
          <Rows label="Paket" none="Belum ada paket.">
            {all.map((one) => (
              <PlanRow key={one.code} plan={one} onEdit={() => setEdited(one)} />
            ))}
          </Rows>
        )}
      </Loaded>
      {edited !== undefined && (
        <Drawer
          open
          onClose={() => setEdited(undefined)}
          title={plan ? `Ubah paket ${plan.name}` : 'Paket baru'}
        >
          <PlanForm plan={plan} onDone={() => setEdited(undefined)} />
        </Drawer>
      )}
    </Panel>
  );
}

const PlanRow = ({ plan, onEdit }: { plan: PlanDetails; onEdit: () => void }) => (
  <Entry
    note={
      <>
        {formatRupiah(plan.price)} sebulan, {formatNumber(plan.quota)} pesan,{' '}
        {formatNumber(plan.tokens)} token, lalu {formatRupiah(plan.overage)} per pesan
      </>
    }
    small={`${plan.code}, revisi ${plan.revision}`}
    end={
      <>
        <StatusChip tone={plan.is_offered ? 'success' : 'neutral'}>
          {plan.is_offered ? 'Ditawarkan' : 'Tidak ditawarkan'}
        </StatusChip>
        <Button variant="subtle" size="sm" aria-label={`Ubah paket ${plan.name}`} onClick={onEdit}>
          Ubah
        </Button>
      </>
    }
  >
    <strong>{plan.name}</strong>
  </Entry>
);

const texts = [
  { name: 'name', label: 'Nama paket', required: true },
  { name: 'description', label: 'Keterangan', required: false },
] as const;
const counts = [
  { name: 'tokens', label: 'Token' },
  { name: 'quota', label: 'Pesan sebulan' },
] as const;
const prices = [
  { name: 'price', label: 'Harga sebulan' },
  { name: 'overage', label: 'Harga pesan di luar kuota' },
] as const;

const initialOf = (plan: PlanDetails | undefined) => ({
  code: plan?.code ?? '',
  name: plan?.name ?? '',
  description: plan?.description ?? '',
  price: String(plan?.price ?? ''),
  tokens: String(plan?.tokens ?? ''),
  quota: String(plan?.quota ?? ''),
  overage: String(plan?.overage ?? ''),
  is_offered: plan?.is_offered ?? true,
  reason: '',
});

type FormProps = { plan: PlanDetails | undefined; onDone: () => void };

const PlanForm = ({ plan, onDone }: FormProps) => (
  <OperatorForm
    act={savePlan}
    initial={initialOf(plan)}
    inputOf={({ is_offered, ...values }) => ({
      ...values,
      offered: is_offered ? ('yes' as const) : ('no' as const),
    })}
    question={({ name }) => ({
      title: plan ? 'Simpan revisi baru?' : 'Buat paket ini?',
      text: plan
        ? `Yang mulai atau memperpanjang paket ${name} sejak sekarang memakai revisi ini. Pelanggan lain tetap dengan revisinya sampai perpanjangan.`
        : `Paket ${name} dapat dipilih pelanggan sejak sekarang, bila ditawarkan.`,
      button: 'Simpan',
    })}
    said={({ revision }) => `Disimpan sebagai revisi ${revision}.`}
    onDone={onDone}
    actions="Simpan"
  >
    {(form) => (
      <>
        <TextField
          label="Kode"
          required
          readOnly={plan !== undefined}
          help="Huruf kecil, angka, dan tanda hubung; tidak dapat diubah lagi."
          {...form.field('code')}
        />
        {texts.map(({ name, label, required }) => (
          <TextField key={name} label={label} required={required} {...form.field(name)} />
        ))}
        <div className={styles['pair']}>
          {prices.map(({ name, label }) => (
            <AmountField key={name} label={label} required {...form.field(name)} />
          ))}
          {counts.map(({ name, label }) => (
            <TextField
              key={name}
              label={label}
              required
              inputMode="numeric"
              {...form.field(name)}
            />
          ))}
        </div>
        <Checkbox
          label="Ditawarkan kepada pelanggan"
          name="is_offered"
          checked={form.values.is_offered}
          onChange={(event) => form.set('is_offered', event.target.checked)}
        />
      </>
    )}
  </OperatorForm>
);
