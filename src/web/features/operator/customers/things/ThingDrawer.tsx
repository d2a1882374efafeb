import { useSearch } from '#web/browser/router/Router.tsx';
import { go, recordKinds } from '#web/features/operator/customers/go.ts';
import { InvoiceThing } from '#web/features/operator/customers/things/InvoiceThing.tsx';
import { MessageThing } from '#web/features/operator/customers/things/MessageThing.tsx';
import { TokenThing } from '#web/features/operator/customers/things/TokenThing.tsx';
import { TopupThing } from '#web/features/operator/customers/things/TopupThing.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';

const parts = {
  message: { title: 'Pesan', Thing: MessageThing },
  token: { title: 'Token', Thing: TokenThing },
  topup: { title: 'Isi saldo', Thing: TopupThing },
  invoice: { title: 'Tagihan', Thing: InvoiceThing },
} as const;

export function ThingDrawer({ accountId }: { accountId: string }) {
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
