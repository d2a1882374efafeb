import { useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import type { InvoiceDetail } from '#contract/billing.ts';
import { isNotFound, sentenceOf } from '#web/api/errors.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { InvoiceActions } from '#web/features/billing/invoices/InvoiceActions.tsx';
import { InvoiceDocument } from '#web/features/billing/invoices/InvoiceDocument.tsx';
import { invoiceQuery } from '#web/features/billing/queries.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

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
      {!invoice && error && !isNotFound(error) && (
        <WentWrong message={sentenceOf(error)} onRetry={() => void refetch()} />
      )}
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
