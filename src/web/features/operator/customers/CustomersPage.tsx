import { useSearch } from '#web/browser/router/Router.tsx';
import { CustomerList } from '#web/features/operator/customers/CustomerList.tsx';
import { CustomerPage } from '#web/features/operator/customers/CustomerPage.tsx';

/** Route `/operator/pelanggan`: the customers; or with `open`, one of them. */
export function CustomersPage() {
  const { open } = useSearch('/operator/pelanggan');
  return open === undefined ? <CustomerList /> : <CustomerPage key={open} accountId={open} />;
}
