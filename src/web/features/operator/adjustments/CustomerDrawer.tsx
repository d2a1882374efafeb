import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type DeskCustomerDetail,
  getCustomer,
  walletStatusLabel,
} from '#contract/operator/desk.ts';
import { entryKindLabel, topupStatusLabel } from '#contract/saldo.ts';
import { AdjustForm } from '#web/features/operator/adjustments/AdjustForm.tsx';
import { BonusForm } from '#web/features/operator/adjustments/BonusForm.tsx';
import { FreezeForm } from '#web/features/operator/adjustments/FreezeForm.tsx';
import { PayoutForm } from '#web/features/operator/adjustments/PayoutForm.tsx';
import { RefundForm } from '#web/features/operator/adjustments/RefundForm.tsx';
import { actQuery } from '#web/features/operator/desk/actQuery.ts';
import styles from '#web/features/operator/desk/desk.module.css';
import { Loaded } from '#web/features/operator/desk/Loaded.tsx';
import { topupTone } from '#web/features/saldo/saldo.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Facts, Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { Tabs } from '#web/ui/tabs/Tabs.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type Props = { accountId: string; onClose: () => void };

/** A customer: the saldo, what moved last, and what may be booked by hand. */
export function CustomerDrawer({ accountId, onClose }: Props) {
  const customer = useQuery(actQuery(getCustomer, { account_id: accountId }));
  return (
    <Drawer addressed open size="lg" onClose={onClose} title={customer.data?.name ?? 'Pelanggan'}>
      <Loaded query={customer} lines={10}>
        {(data) => <Customer customer={data} />}
      </Loaded>
    </Drawer>
  );
}

function Customer({ customer }: { customer: DeskCustomerDetail }) {
  const [tab, setTab] = useState('riwayat');
  // A form that is done is a new one.
  const [turn, setTurn] = useState(0);
  const done = () => {
    setTurn((n) => n + 1);
    setTab('riwayat');
  };
  const form = { customer, onDone: done };
  return (
    <div className={styles['drawer']}>
      <Facts
        facts={[
          { term: 'Saldo', is: <Money amount={customer.available} /> },
          { term: 'Tertahan', is: <Money amount={customer.held} /> },
          {
            term: 'Status',
            is: (
              <StatusChip tone={customer.status === 'active' ? 'success' : 'warning'}>
                {walletStatusLabel[customer.status]}
              </StatusChip>
            ),
          },
          { term: 'Nomor', is: <span className="num">{customer.phone || '—'}</span> },
          { term: 'ID', is: <span className={styles['hash']}>{customer.account_id}</span> },
        ]}
      />
      {customer.bonus_only && (
        <p className={styles['note']}>Saldo bonus: hanya simulator dan nomor sendiri.</p>
      )}
      <Tabs
        key={turn}
        label="Tindakan untuk pelanggan ini"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'riwayat', label: 'Riwayat', content: <History customer={customer} /> },
          { value: 'sesuaikan', label: 'Sesuaikan', content: <AdjustForm {...form} /> },
          { value: 'kembalikan', label: 'Biaya pesan', content: <RefundForm {...form} /> },
          { value: 'cairkan', label: 'Cairkan', content: <PayoutForm {...form} /> },
          {
            value: 'bekukan',
            label: customer.status === 'frozen' ? 'Buka pembekuan' : 'Bekukan',
            content: <FreezeForm {...form} />,
          },
          ...(customer.bonus_only
            ? [{ value: 'bonus', label: 'Saldo bonus', content: <BonusForm {...form} /> }]
            : []),
        ]}
      />
    </div>
  );
}

const History = ({ customer: { entries, topups, freezes } }: { customer: DeskCustomerDetail }) => (
  <div className={styles['drawer']}>
    <Panel title="Mutasi terakhir">
      {entries.length === 0 && <p className={styles['note']}>Belum ada mutasi.</p>}
      <ul className={styles['rows']}>
        {entries.map(({ seq, kind, amount, memo, at }) => (
          <li key={seq}>
            <span className={styles['what']}>
              {entryKindLabel[kind]}
              <span className={styles['small']}>
                {memo && `${memo} · `}
                <DateTime at={at} />
              </span>
            </span>
            <Money amount={amount} />
          </li>
        ))}
      </ul>
    </Panel>
    <Panel title="Isi saldo terakhir">
      {topups.length === 0 && <p className={styles['note']}>Belum pernah mengisi saldo.</p>}
      <ul className={styles['rows']}>
        {topups.map(({ id, status, total, at }) => (
          <li key={id}>
            <span className={styles['what']}>
              <Money amount={total} />
              <span className={styles['small']}>
                <DateTime at={at} />
              </span>
            </span>
            <StatusChip tone={topupTone[status]}>{topupStatusLabel[status]}</StatusChip>
          </li>
        ))}
      </ul>
    </Panel>
    {freezes.length > 0 && (
      <Panel title="Pembekuan">
        <ul className={styles['rows']}>
          {freezes.map(({ frozen, reason, operator, at }) => (
            <li key={at.toISOString()}>
              <span className={styles['what']}>
                {frozen ? 'Dibekukan' : 'Dibuka'} oleh {operator}
                <span className={styles['note']}>{reason}</span>
              </span>
              <DateTime at={at} />
            </li>
          ))}
        </ul>
      </Panel>
    )}
  </div>
);
