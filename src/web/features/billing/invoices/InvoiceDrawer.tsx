import { useQuery, useQueryClient } from '@tanstack/react-query';
import { SearchX, ChevronDown, Download } from 'lucide-react';
import { type InvoiceDetail, invoicePdf, invoiceStatusLabel } from '#contract/billing.ts';
import { isNotFound } from '#web/api/errors.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { invoiceQuery, methodsQuery } from '#web/features/billing/queries.ts';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { useId, useState, type ReactNode } from 'react';
import { formatRupiah, formatNumber } from '#contract/base/money.ts';
import { type TopupMethod, topupMethodLabel } from '#contract/saldo.ts';
import { perform } from '#web/api/act.ts';
import styles from '#web/features/billing/billing.module.css';
import { classes } from '#web/ui/classes.ts';
import { TopupLink } from '#web/features/billing/plan/RequiredAction.tsx';
import { usePlanChanges } from '#web/features/billing/plan/usePlanChanges.ts';
import {
  LimitReason,
  saldoQuery,
  type TopupLimit,
  topupLimitOf,
} from '#web/features/saldo/saldo.ts';
import { AskSupport } from '#web/features/support/support.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Dropdown, MenuButton } from '#web/ui/menu/Dropdown.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { toast } from '#web/ui/toast/toasts.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { formatNpwp, invoiceTone } from '#web/features/billing/labels.ts';
import { formatPeriod } from '#web/features/billing/plan/usage.ts';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { type FactList, Facts } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

function titleOf({ number, kind }: InvoiceDetail): string {
  const what = kind === 'credit_note' ? 'Nota kredit' : 'Tagihan';
  return number === null ? `${what} belum bernomor` : `${what} ${number}`;
}

const close = () =>
  void navigate({ to: '/billing', change: { open: undefined }, resetScroll: false });

/** Over `/billing?open=…`: an invoice and its actions. */
export function InvoiceDrawer({ id }: { id: string }) {
  const { data: invoice, error, refetch } = useQuery(invoiceQuery(id));
  return (
    <Drawer
      addressed
      open
      onClose={close}
      title={invoice ? titleOf(invoice) : 'Tagihan'}
      footer={invoice && <InvoiceActions invoice={invoice} />}
    >
      {invoice && (
        <div className="stack gap-20">
          <InvoiceDocument invoice={invoice} />
        </div>
      )}
      {!invoice && error && !isNotFound(error) && <WentWrong query={{ error, refetch }} />}
      {!invoice && isNotFound(error) && (
        <EmptyState
          icon={<SearchX size={24} />}
          title="Tagihan ini tidak ditemukan."
          action={<Button onClick={close}>Lihat semua tagihan</Button>}
        >
          Alamatnya mungkin salah tulis, atau tagihan ini milik akun lain.
        </EmptyState>
      )}
      {!invoice && !error && (
        <div className="stack gap-20" aria-busy="true">
          <Skeleton height={44} />
          <Skeleton height={120} />
          <Skeleton lines={7} height="1.4em" />
        </div>
      )}
    </Drawer>
  );
}

/** Actions on an invoice: payment while it is open, the document once it is paid. */
function InvoiceActions({ invoice }: { invoice: InvoiceDetail }) {
  const [failure, setFailure] = useState<unknown>();
  return (
    <div className="stack gap-10 w-full">
      <RefusalAlert error={failure} />
      <div className="flex wrap justify-end gap-8 hide-empty stretch-below-480">
        {invoice.status === 'open' && invoice.kind === 'plan' && (
          <Pay invoice={invoice} onFailure={setFailure} />
        )}
        {invoice.status === 'open' && invoice.topup_id && (
          <LinkButton to="/saldo" search={{ open: invoice.topup_id }}>
            Lihat cara bayar
          </LinkButton>
        )}
        <AskSupport about="invoice" id={invoice.id} />
        {invoice.number !== null && <Pdf invoice={invoice} onFailure={setFailure} />}
      </div>
    </div>
  );
}

type ActionProps = { invoice: InvoiceDetail; onFailure: (error: unknown) => void };

function Pdf({ invoice, onFailure }: ActionProps) {
  const [busy, setBusy] = useState(false);
  const open = async () => {
    setBusy(true);
    onFailure(undefined);
    try {
      const { url, filename } = await perform(invoicePdf, { invoice_id: invoice.id });
      const link = document.createElement('a');
      link.href = url;
      link.download = filename;
      // A file on another origin opens in a new tab instead of replacing this page.
      link.target = '_blank';
      link.rel = 'noopener';
      link.click();
    } catch (error) {
      onFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      variant={invoice.status === 'open' ? 'outline' : 'solid'}
      tone="primary"
      icon={<Download size={18} />}
      busy={busy}
      onClick={() => void open()}
    >
      Unduh PDF
    </Button>
  );
}

/** Pays from saldo at once if it suffices, or by another method, which creates a top-up. */
function Pay({ invoice, onFailure }: ActionProps) {
  const client = useQueryClient();
  const { data: saldo } = useQuery(saldoQuery);
  const { pay } = usePlanChanges();
  const short = saldo ? invoice.total - saldo.available : 0;
  const limit = topupLimitOf(saldo);
  const fromSaldo = async () => {
    onFailure(undefined);
    const paid = await confirm({
      title: 'Bayar dari saldo?',
      children:
        `${formatRupiah(invoice.total)} dipotong dari saldo Anda` +
        (saldo ? `, yang sekarang ${formatRupiah(saldo.available)}.` : '.'),
      tone: 'primary',
      cancelText: 'Kembali',
      confirmText: 'Bayar dari saldo',
      onConfirm: async () => void (await pay.perform({ invoice_id: invoice.id })),
    });
    if (!paid) return;
    toast('Tagihan lunas.', { tone: 'success' });
    void client.invalidateQueries({ queryKey: invoiceQuery(invoice.id).queryKey });
  };
  const by = async (method: TopupMethod) => {
    onFailure(undefined);
    try {
      const { topup_id: open } = await pay.perform({ invoice_id: invoice.id, method });
      if (open) await navigate({ to: '/saldo', search: { open } });
    } catch (error) {
      onFailure(error);
    }
  };
  return (
    <>
      {limit === undefined && (
        <Methods total={invoice.total} busy={pay.busy} onChoose={(method) => void by(method)} />
      )}
      {/* The button for a top-up gives the reason itself. */}
      {limit !== undefined && short <= 0 && <NoMethods limit={limit} />}
      {short > 0 ? (
        <TopupLink amount={short} />
      ) : (
        <Button busy={pay.busy} onClick={() => void fromSaldo()}>
          Bayar dari saldo
        </Button>
      )}
    </>
  );
}

/** Paying by another method makes a top-up, which the limit refuses. */
function NoMethods({ limit }: { limit: TopupLimit }) {
  const id = useId();
  return (
    <>
      <Button variant="outline" disabled aria-describedby={id}>
        Bayar dengan <ChevronDown size={16} />
      </Button>
      <p id={id} className={classes('w-full small muted', styles['limit'])}>
        <LimitReason limit={limit} />
      </p>
    </>
  );
}

type MethodsProps = { total: number; busy: boolean; onChoose: (method: TopupMethod) => void };

function Methods({ total, busy, onChoose }: MethodsProps) {
  const { data, error } = useQuery(methodsQuery);
  const fitting = data?.filter(({ minimum, maximum }) => total >= minimum && total <= maximum);
  // A bank transfer is always possible.
  const methods = fitting?.map(({ method }) => method) ?? (error ? (['bank'] as const) : []);
  if (methods.length === 0) return null;
  return (
    <Dropdown
      label="Bayar dengan"
      trigger={(props) => (
        <Button {...props} variant="outline" busy={busy}>
          Bayar dengan <ChevronDown size={16} />
        </Button>
      )}
    >
      {methods.map((method) => (
        <MenuButton key={method} onClick={() => onChoose(method)}>
          {topupMethodLabel[method]}
        </MenuButton>
      ))}
    </Dropdown>
  );
}

function InvoiceDocument({ invoice }: { invoice: InvoiceDetail }) {
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

function factsOf(invoice: InvoiceDetail): FactList {
  const { paid_at: paid, due_at: due, paid_with: how, status, verify_url: verify } = invoice;
  return [
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
}
