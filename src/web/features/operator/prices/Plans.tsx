import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatNumber, formatRupiah } from '#contract/base/money.ts';
import { type PlanDetails, listPlanDetails } from '#contract/operator/books.ts';
import { actQuery } from '#web/features/operator/form/actQuery.ts';
import styles from '#web/features/operator/form/form.module.css';
import { Loaded } from '#web/features/operator/form/Loaded.tsx';
import { PlanForm } from '#web/features/operator/prices/PlanForm.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

export function Plans() {
  const plans = useQuery(actQuery(listPlanDetails, {}));
  const [edited, setEdited] = useState<PlanDetails | 'new'>();
  const plan = edited === 'new' ? undefined : edited;
  return (
    <Panel
      title="Paket"
      tools={
        <Button variant="outline" size="sm" onClick={() => setEdited('new')}>
          Tambah paket
        </Button>
      }
    >
      <p className={styles['note']}>
        Perubahan menjadi revisi baru: pelanggan tetap memakai revisinya sampai perpanjangan
        berikutnya.
      </p>
      <Loaded query={plans} lines={4}>
        {(data) =>
          data.plans.length === 0 ? (
            <p className={styles['note']}>Belum ada paket.</p>
          ) : (
            <ul className={styles['rows']} aria-label="Paket">
              {data.plans.map((one) => (
                <PlanRow key={one.code} plan={one} onEdit={() => setEdited(one)} />
              ))}
            </ul>
          )
        }
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
  <li>
    <span className={styles['what']}>
      <strong>{plan.name}</strong>
      <span className={styles['note']}>
        {formatRupiah(plan.price)} sebulan, {formatNumber(plan.quota)} pesan,{' '}
        {formatNumber(plan.tokens)} token, lalu {formatRupiah(plan.overage)} per pesan
      </span>
      <span className={styles['small']}>
        {plan.code}, revisi {plan.revision}
      </span>
    </span>
    <StatusChip tone={plan.is_offered ? 'success' : 'neutral'}>
      {plan.is_offered ? 'Ditawarkan' : 'Tidak ditawarkan'}
    </StatusChip>
    <Button variant="subtle" size="sm" aria-label={`Ubah paket ${plan.name}`} onClick={onEdit}>
      Ubah
    </Button>
  </li>
);
