import { useQuery } from '@tanstack/react-query';
import { type Invoice, invoiceStatusLabel } from '#contract/billing.ts';
import { getCustomerInvoice } from '#contract/operator/customers.ts';
import { invoiceTone } from '#web/features/billing/billing.ts';
import type { RecordProps } from '#web/features/operator/customers/records/record.ts';
import { actQuery } from '#web/features/operator/form/actQuery.ts';
import desk from '#web/features/operator/form/form.module.css';
import { Loaded } from '#web/features/operator/form/Loaded.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { type Fact, Facts } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

export function InvoiceRecord({ accountId, id }: RecordProps) {
  const invoice = useQuery(actQuery(getCustomerInvoice, { account_id: accountId, invoice_id: id }));
  return (
    <Loaded query={invoice} lines={8}>
      {(data) => <Facts facts={factsOf(data)} />}
    </Loaded>
  );
}

const factsOf = (invoice: Invoice): readonly Fact[] => [
  { term: 'Nomor', is: invoice.number ?? 'Belum bernomor' },
  { term: 'Untuk', is: invoice.title },
  {
    term: 'Status',
    is: (
      <StatusChip tone={invoiceTone[invoice.status]}>
        {invoiceStatusLabel[invoice.status]}
      </StatusChip>
    ),
  },
  { term: 'Jumlah', is: <Money amount={invoice.total} /> },
  { term: 'Dibuat', is: <DateTime at={invoice.created_at} /> },
  ...(invoice.due_at ? [{ term: 'Jatuh tempo', is: <DateTime at={invoice.due_at} /> }] : []),
  ...(invoice.paid_at ? [{ term: 'Lunas', is: <DateTime at={invoice.paid_at} /> }] : []),
  { term: 'ID', is: <span className={desk['hash']}>{invoice.id}</span> },
];
