import { later } from '#web/browser/lazyComponent.ts';
import type { Route, Routes } from '#web/browser/router/routes.ts';
import { operatorAddresses } from '#web/features/operator/addresses.ts';

const pages: Readonly<Record<keyof typeof operatorAddresses, NonNullable<Route['page']>>> = {
  '/operator': later(() => import('#web/features/operator/overview/OverviewPage.tsx')),
  '/operator/layanan': later(() => import('#web/features/operator/support/SupportPage.tsx')),
  '/operator/isi-saldo': later(() => import('#web/features/operator/topups/TopupsPage.tsx')),
  '/operator/mutasi-bank': later(() => import('#web/features/operator/bank/BankLinesPage.tsx')),
  '/operator/mutasi-bank/impor': later(() => import('#web/features/operator/bank/ImportPage.tsx')),
  '/operator/pelanggan': later(() => import('#web/features/operator/customers/CustomersPage.tsx')),
  '/operator/penyesuaian': later(
    () => import('#web/features/operator/adjustments/AdjustmentsPage.tsx'),
  ),
  '/operator/suspense': later(() => import('#web/features/operator/suspense/SuspensePage.tsx')),
  '/operator/pembukuan': later(() => import('#web/features/operator/books/BooksPage.tsx')),
  '/operator/operator': later(() => import('#web/features/operator/people/OperatorsPage.tsx')),
  '/operator/audit': later(() => import('#web/features/operator/audit/AuditPage.tsx')),
  '/operator/harga': later(() => import('#web/features/operator/prices/PricesPage.tsx')),
  '/operator/keamanan': later(() => import('#web/features/operator/security/SecurityPage.tsx')),
  '/operator/pengumuman': later(
    () => import('#web/features/operator/broadcasts/BroadcastsPage.tsx'),
  ),
  '/operator/kanal': later(() => import('#web/features/operator/channels/ChannelsPage.tsx')),
  '/operator/token': later(() => import('#web/features/operator/system-token/SystemTokenPage.tsx')),
  '/operator/pengaturan': later(() => import('#web/features/operator/settings/SettingsPage.tsx')),
};

/** The operator's pages, each a chunk of its own. @param layout wraps them */
export const operatorRoutes = (layout: Route['layout']): Routes =>
  Object.fromEntries(
    Object.entries(operatorAddresses).map(([path, search]) => [
      path,
      { page: pages[path as keyof typeof operatorAddresses], layout, search },
    ]),
  );
