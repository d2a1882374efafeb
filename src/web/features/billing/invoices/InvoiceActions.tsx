import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronDown, Download } from 'lucide-react';
import { useId, useState } from 'react';
import { type InvoiceDetail, invoicePdf } from '#contract/billing.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { type TopupMethod, topupMethodLabel } from '#contract/saldo.ts';
import { perform } from '#web/api/act.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import styles from '#web/features/billing/billing.module.css';
import { classes } from '#web/ui/classes.ts';
import { TopupLink } from '#web/features/billing/plan/RequiredAction.tsx';
import { usePlanChanges } from '#web/features/billing/plan/usePlanChanges.ts';
import { invoiceQuery, methodsQuery } from '#web/features/billing/queries.ts';
import {
  LimitReason,
  saldoQuery,
  type TopupLimit,
  topupLimitOf,
} from '#web/features/saldo/saldo.ts';
import { AskSupport } from '#web/features/support/support.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { Dropdown, MenuButton } from '#web/ui/menu/Dropdown.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { toast } from '#web/ui/toast/toasts.ts';

/** Actions on an invoice: payment while it is open, the document once it is paid. */
export function InvoiceActions({ invoice }: { invoice: InvoiceDetail }) {
  const [failure, setFailure] = useState<unknown>();
  return (
    <div className="stack gap-10 w-full">
      <Alert
        state="danger"
        visible={failure !== undefined}
        label={failure === undefined ? '' : sentenceOf(failure)}
      />
      <div className={classes('flex wrap justify-end gap-8 hide-empty', styles['actions'])}>
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
      icon={<Download size={18} aria-hidden="true" />}
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
      sentenceOf,
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
      <Button variant="outline" tone="neutral" disabled aria-describedby={id}>
        Bayar dengan <ChevronDown size={16} aria-hidden="true" />
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
        <Button {...props} variant="outline" tone="neutral" busy={busy}>
          Bayar dengan <ChevronDown size={16} aria-hidden="true" />
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
