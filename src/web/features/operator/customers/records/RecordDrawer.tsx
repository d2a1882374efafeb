import { useSearch } from '#web/browser/router/Router.tsx';
import { go, recordKinds } from '#web/features/operator/customers/go.ts';
import { InvoiceRecord } from '#web/features/operator/customers/records/InvoiceRecord.tsx';
import { MessageRecord } from '#web/features/operator/customers/records/MessageRecord.tsx';
import { TokenRecord } from '#web/features/operator/customers/records/TokenRecord.tsx';
import { TopupRecord } from '#web/features/operator/customers/records/TopupRecord.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';

const parts = {
  message: { title: 'Pesan', Thing: MessageRecord },
  token: { title: 'Token', Thing: TokenRecord },
  topup: { title: 'Isi saldo', Thing: TopupRecord },
  invoice: { title: 'Tagihan', Thing: InvoiceRecord },
} as const;

export function RecordDrawer({ accountId }: { accountId: string }) {
  const search = useSearch('/operator/pelanggan');
  const kind = recordKinds.find((one) => search[one] !== undefined);
  if (kind === undefined) return null;
  const { title, Thing } = parts[kind];
  const id = search[kind] ?? '';
  return (
    <Drawer addressed open onClose={() => go({ [kind]: undefined })} title={title}>
      <Thing key={id} accountId={accountId} id={id} />
    </Drawer>
  );
}
