import type { OperatorCustomerDetail } from '#contract/operator/customers.ts';
import { invoiceStatusLabel } from '#contract/billing.ts';
import { entryKindLabel, topupStatusLabel } from '#contract/saldo.ts';
import { invoiceTone } from '#web/features/billing/billing.ts';
import styles from '#web/features/operator/customers/customers.module.css';
import { go } from '#web/features/operator/customers/go.ts';
import { Open } from '#web/features/operator/customers/Sending.tsx';
import desk from '#web/features/operator/form/form.module.css';
import { topupTone } from '#web/features/saldo/saldo.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type Props = { customer: OperatorCustomerDetail };

export const History = ({ customer }: Props) => (
  <div className={styles['column']}>
    <Entries customer={customer} />
    <Topups customer={customer} />
    <Invoices customer={customer} />
  </div>
);

const Entries = ({ customer: { entries } }: Props) => (
  <Panel title="Mutasi terakhir">
    {entries.length === 0 && <p className={desk['note']}>Belum ada mutasi.</p>}
    <ul className={desk['rows']}>
      {entries.map(({ seq, kind, amount, memo, at }) => (
        <li key={seq}>
          <span className={desk['what']}>
            {entryKindLabel[kind]}
            <span className={desk['small']}>
              {memo && `${memo} · `}
              <DateTime at={at} />
            </span>
          </span>
          <Money amount={amount} />
        </li>
      ))}
    </ul>
  </Panel>
);

const Topups = ({ customer: { topups } }: Props) => (
  <Panel title="Isi saldo terakhir">
    {topups.length === 0 && <p className={desk['note']}>Belum pernah mengisi saldo.</p>}
    <ul className={desk['rows']}>
      {topups.map(({ id, status, total, at }) => (
        <li key={id}>
          <span className={desk['what']}>
            <Open onClick={() => go({ topup: id })}>
              <Money amount={total} />
            </Open>
            <span className={desk['small']}>
              <DateTime at={at} />
            </span>
          </span>
          <StatusChip tone={topupTone[status]}>{topupStatusLabel[status]}</StatusChip>
        </li>
      ))}
    </ul>
  </Panel>
);

const Invoices = ({ customer: { invoices } }: Props) => (
  <Panel title="Tagihan terakhir">
    {invoices.length === 0 && <p className={desk['note']}>Belum ada tagihan.</p>}
    <ul className={desk['rows']}>
      {invoices.map(({ id, number, title, status, total, at }) => (
        <li key={id}>
          <span className={desk['what']}>
            <Open onClick={() => go({ invoice: id })}>{title}</Open>
            <span className={desk['small']}>
              {number ?? 'Belum bernomor'} · <DateTime at={at} />
            </span>
          </span>
          <span className={styles['identity']}>
            <Money amount={total} />
            <StatusChip tone={invoiceTone[status]}>{invoiceStatusLabel[status]}</StatusChip>
          </span>
        </li>
      ))}
    </ul>
  </Panel>
);
