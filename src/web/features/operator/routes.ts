import { later } from '#web/browser/lazyComponent.ts';
import type { Route, Routes } from '#web/browser/router/routes.ts';
import { operatorAddresses } from '#web/features/operator/addresses.ts';

const pages: Readonly<Record<keyof typeof operatorAddresses, NonNullable<Route['page']>>> = {
  '/operator': later(
    async () => (await import('#web/features/operator/overview/OverviewPage.tsx')).OverviewPage,
  ),
  '/operator/layanan': later(
    async () => (await import('#web/features/operator/support/SupportPage.tsx')).SupportPage,
  ),
  '/operator/isi-saldo': later(
    async () => (await import('#web/features/operator/topups/TopupsPage.tsx')).TopupsPage,
  ),
  '/operator/mutasi-bank': later(
    async () => (await import('#web/features/operator/bank/BankLinesPage.tsx')).BankLinesPage,
  ),
  '/operator/mutasi-bank/impor': later(
    async () => (await import('#web/features/operator/bank/ImportPage.tsx')).ImportPage,
  ),
  '/operator/pelanggan': later(
    async () => (await import('#web/features/operator/customers/CustomersPage.tsx')).CustomersPage,
  ),
  '/operator/penyesuaian': later(
    async () =>
      (await import('#web/features/operator/adjustments/AdjustmentsPage.tsx')).AdjustmentsPage,
  ),
  '/operator/suspense': later(
    async () => (await import('#web/features/operator/suspense/SuspensePage.tsx')).SuspensePage,
  ),
  '/operator/pembukuan': later(
    async () => (await import('#web/features/operator/books/BooksPage.tsx')).BooksPage,
  ),
  '/operator/operator': later(
    async () => (await import('#web/features/operator/people/OperatorsPage.tsx')).OperatorsPage,
  ),
  '/operator/audit': later(
    async () => (await import('#web/features/operator/audit/AuditPage.tsx')).AuditPage,
  ),
  '/operator/harga': later(
    async () => (await import('#web/features/operator/prices/PricesPage.tsx')).PricesPage,
  ),
  '/operator/keamanan': later(
    async () => (await import('#web/features/operator/security/SecurityPage.tsx')).SecurityPage,
  ),
  '/operator/pengumuman': later(
    async () =>
      (await import('#web/features/operator/broadcasts/BroadcastsPage.tsx')).BroadcastsPage,
  ),
  '/operator/kanal': later(
    async () => (await import('#web/features/operator/channels/ChannelsPage.tsx')).ChannelsPage,
  ),
  '/operator/token': later(
    async () =>
      (await import('#web/features/operator/system-token/SystemTokenPage.tsx')).SystemTokenPage,
  ),
  '/operator/pengaturan': later(
    async () => (await import('#web/features/operator/settings/SettingsPage.tsx')).SettingsPage,
  ),
};

/** The operator's pages, each a chunk of its own. @param layout wraps them */
export const operatorRoutes = (layout: Route['layout']): Routes =>
  Object.fromEntries(
    Object.entries(operatorAddresses).map(([path, search]) => [
      path,
      { page: pages[path as keyof typeof operatorAddresses], layout, search },
    ]),
  );
