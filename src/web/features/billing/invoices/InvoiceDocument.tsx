import type { ReactNode } from 'react';
import { type InvoiceDetail, invoiceStatusLabel } from '#contract/billing.ts';
import { formatNumber } from '#contract/base/money.ts';
import { formatPhone } from '#contract/base/phone.ts';
import styles from '#web/features/billing/billing.module.css';
import { classes } from '#web/ui/classes.ts';
import { formatNpwp, invoiceTone } from '#web/features/billing/labels.ts';
import { formatPeriod } from '#web/features/billing/plan/usage.ts';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { type Fact, Facts } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

export function InvoiceDocument({ invoice }: { invoice: InvoiceDetail }) {
  const { number, note, period_start: start, period_end: end } = invoice;
  return (
    <>
      <div className="flex wrap align-start justify-between gap-8 gap-x-16">
        <div>
          <p className="figure">
            <Money amount={invoice.total} />
          </p>
          <p className="mt-4 muted">
            {invoice.title}
            {start && end && `, ${formatPeriod(start, end)}`}
          </p>
        </div>
        <StatusChip tone={invoiceTone[invoice.status]}>
          {invoiceStatusLabel[invoice.status]}
        </StatusChip>
      </div>
      {note && <p className="note-box">{note}</p>}
      <Lines invoice={invoice} />
      <div className={classes('grid gap-16 gap-x-24 py-16 border-y', styles['parties'])}>
        <PartyFacts title="Dari" party={invoice.seller} />
        <PartyFacts title="Kepada" party={invoice.buyer} />
      </div>
      <CopyField
        label={number ? 'Nomor' : 'Kode'}
        value={number ?? invoice.id}
        {...(!number && { help: 'Nomornya diberikan saat tagihan lunas.' })}
      />
      <Facts facts={factsOf(invoice)} />
    </>
  );
}

function Lines({ invoice }: { invoice: InvoiceDetail }) {
  const { lines, base, dpp, ppn, unique_code: code, total } = invoice;
  return (
    <section aria-label="Rincian" className="stack gap-12">
      <ul className="grid border-t">
        {lines.map((line, at) => (
          <li key={at} className="flex align-baseline justify-between gap-16 py-10 border-b">
            <span className="grid min-w-0 break-anywhere">
              {line.text}
              {line.quantity !== 1 && (
                <span className="small faint">
                  {formatNumber(line.quantity)} × <Money amount={line.price} />
                </span>
              )}
            </span>
            <Money amount={line.amount} />
          </li>
        ))}
      </ul>
      <dl className={classes('grid gap-6 sums', styles['sum'])}>
        <Sum term="Subtotal">
          <Money amount={base} />
        </Sum>
        {dpp !== null && (
          <Sum term="DPP nilai lain" quiet>
            <Money amount={dpp} />
          </Sum>
        )}
        {ppn > 0 && (
          <Sum term="PPN">
            <Money amount={ppn} />
          </Sum>
        )}
        {code > 0 && (
          <Sum term="Kode unik">
            <Money amount={code} />
          </Sum>
        )}
        <Sum term="Total" strong>
          <Money amount={total} />
        </Sum>
      </dl>
      <p className="small muted pretty">
        Terbilang: <em>{invoice.in_words}</em>
      </p>
    </section>
  );
}

type SumProps = { term: string; strong?: boolean; quiet?: boolean; children: ReactNode };

const Sum = ({ term, strong, quiet, children }: SumProps) => (
  <div data-strong={strong} data-quiet={quiet}>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </div>
);

type PartyProps = { title: string; party: InvoiceDetail['seller'] };

const PartyFacts = ({ title, party }: PartyProps) => (
  <section
    className={classes('grid content-start gap-2 muted break-anywhere', styles['party'])}
    aria-label={title}
  >
    <h3>{title}</h3>
    <p>
      <strong>
        <bdi>{party.name}</bdi>
      </strong>
    </p>
    {party.npwp && <p className="num">NPWP {formatNpwp(party.npwp)}</p>}
    {party.address && <p>{party.address}</p>}
    {party.email && <p>{party.email}</p>}
    {party.phone && <p className="num">{formatPhone(party.phone)}</p>}
  </section>
);

function factsOf(invoice: InvoiceDetail): readonly Fact[] {
  const { paid_at: paid, due_at: due, paid_with: how, status, verify_url: verify } = invoice;
  const facts: readonly (Fact | false)[] = [
    { term: 'Dibuat', is: <DateTime at={invoice.created_at} /> },
    status === 'open' && due !== null && { term: 'Batas bayar', is: <DateTime at={due} /> },
    paid !== null && { term: 'Lunas', is: <DateTime at={paid} /> },
    how !== null && { term: 'Dibayar dengan', is: how },
    verify !== null && {
      term: 'Keaslian',
      is: (
        <a href={verify} target="_blank" rel="noreferrer">
          Periksa keaslian<span className="sr-only"> (tab baru)</span>
        </a>
      ),
    },
  ];
  return facts.filter((fact) => fact !== false);
}
