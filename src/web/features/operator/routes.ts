import { later } from '#web/browser/lazyComponent.ts';
import type { Route, Routes } from '#web/browser/router/routes.ts';
import { operatorAddresses } from '#web/features/operator/addresses.ts';

const pages: Readonly<Record<keyof typeof operatorAddresses, Pick<Route, 'page'>>> = {
  '/operator': {
    page: later(
      async () => (await import('#web/features/operator/overview/OverviewPage.tsx')).OverviewPage,
    ),
  },
  '/operator/layanan': {
    page: later(
      async () => (await import('#web/features/operator/support/SupportPage.tsx')).SupportPage,
    ),
  },
  '/operator/isi-saldo': {
    page: later(
      async () => (await import('#web/features/operator/topups/TopupsPage.tsx')).TopupsPage,
    ),
  },
  '/operator/mutasi-bank': {
    page: later(
      async () => (await import('#web/features/operator/bank/BankLinesPage.tsx')).BankLinesPage,
    ),
  },
  '/operator/mutasi-bank/impor': {
    page: later(
      async () => (await import('#web/features/operator/bank/ImportPage.tsx')).ImportPage,
    ),
  },
  '/operator/pelanggan': {
    page: later(
      async () =>
        (await import('#web/features/operator/customers/CustomersPage.tsx')).CustomersPage,
    ),
  },
  '/operator/penyesuaian': {
    page: later(
      async () =>
        (await import('#web/features/operator/adjustments/AdjustmentsPage.tsx')).AdjustmentsPage,
    ),
  },
  '/operator/suspense': {
    page: later(
      async () => (await import('#web/features/operator/suspense/SuspensePage.tsx')).SuspensePage,
    ),
  },
  '/operator/pembukuan': {
    page: later(async () => (await import('#web/features/operator/books/BooksPage.tsx')).BooksPage),
  },
  '/operator/operator': {
    page: later(
      async () => (await import('#web/features/operator/people/OperatorsPage.tsx')).OperatorsPage,
    ),
  },
  '/operator/audit': {
    page: later(async () => (await import('#web/features/operator/audit/AuditPage.tsx')).AuditPage),
  },
  '/operator/harga': {
    page: later(
      async () => (await import('#web/features/operator/prices/PricesPage.tsx')).PricesPage,
    ),
  },
  '/operator/keamanan': {
    page: later(
      async () => (await import('#web/features/operator/security/SecurityPage.tsx')).SecurityPage,
    ),
  },
  '/operator/pengumuman': {
    page: later(
      async () =>
        (await import('#web/features/operator/broadcasts/BroadcastsPage.tsx')).BroadcastsPage,
    ),
  },
  '/operator/kanal': {
    page: later(
      async () => (await import('#web/features/operator/channels/ChannelsPage.tsx')).ChannelsPage,
    ),
  },
  '/operator/token': {
    page: later(
      async () =>
        (await import('#web/features/operator/systemToken/SystemTokenPage.tsx')).SystemTokenPage,
    ),
  },
  '/operator/pengaturan': {
    page: later(
      async () => (await import('#web/features/operator/settings/SettingsPage.tsx')).SettingsPage,
    ),
  },
};

/** The operator's pages, each a chunk of its own. @param layout wraps them */
export const operatorRoutes = (layout: Route['layout']): Routes =>
  Object.fromEntries(
    Object.entries(operatorAddresses).map(([path, search]) => [
      path,
      { ...pages[path as keyof typeof operatorAddresses], layout, search },
    ]),
  );
