import type { operatorAddresses } from '#web/features/operator/addresses.ts';
import { addresses } from '#web/app/routes/addresses.ts';
import { later } from '#web/browser/lazyComponent.ts';
import type { Route, Routes } from '#web/browser/router/routes.ts';

/** Defined by `vite.config.ts`. */
declare const __GALLERY__: boolean;

const app = later(async () => (await import('#web/app/layout/AppLayout.tsx')).AppLayout);
const auth = later(async () => (await import('#web/app/layout/AuthLayout.tsx')).AuthLayout);

/** The page of each address: a chunk of its own, fetched when its link is hovered. */
const pages: Readonly<Record<keyof typeof addresses, Omit<Route, 'search'>>> = {
  '/': {
    layout: app,
    page: later(async () => (await import('#web/features/home/HomePage.tsx')).HomePage),
  },
  '/token': {
    layout: app,
    page: later(async () => (await import('#web/features/tokens/TokensPage.tsx')).TokensPage),
  },
  '/token/templat': {
    layout: app,
    page: later(
      async () => (await import('#web/features/tokens/templates/TemplatesPage.tsx')).TemplatesPage,
    ),
  },
  '/token/webhook': {
    layout: app,
    page: later(async () => (await import('#web/features/webhooks/WebhookPage.tsx')).WebhookPage),
  },
  '/message-history': {
    layout: app,
    page: later(async () => (await import('#web/features/messages/MessagesPage.tsx')).MessagesPage),
  },
  '/message-history/kiriman': {
    layout: app,
    page: later(
      async () => (await import('#web/features/campaigns/CampaignsPage.tsx')).CampaignsPage,
    ),
  },
  '/message-history/ekspor': {
    layout: app,
    page: later(async () => (await import('#web/features/messages/files/FilesPage.tsx')).FilesPage),
  },
  '/message-history/berhenti': {
    layout: app,
    page: later(
      async () => (await import('#web/features/messages/optouts/OptoutsPage.tsx')).OptoutsPage,
    ),
  },
  '/saldo': {
    layout: app,
    page: later(async () => (await import('#web/features/saldo/SaldoPage.tsx')).SaldoPage),
  },
  '/billing': {
    layout: app,
    page: later(async () => (await import('#web/features/billing/BillingPage.tsx')).BillingPage),
  },
  '/customer-service': {
    layout: app,
    page: later(async () => (await import('#web/features/support/SupportPage.tsx')).SupportPage),
  },
  '/profile': {
    layout: app,
    page: later(async () => (await import('#web/features/profile/ProfilePage.tsx')).ProfilePage),
  },

  '/auth': { redirect: '/auth/login' },
  '/auth/login': {
    layout: auth,
    page: later(async () => (await import('#web/features/auth/login/LoginPage.tsx')).LoginPage),
  },
  '/auth/register': {
    layout: auth,
    page: later(
      async () => (await import('#web/features/auth/register/RegisterPage.tsx')).RegisterPage,
    ),
  },
  '/auth/verify-otp': {
    layout: auth,
    page: later(
      async () => (await import('#web/features/auth/register/VerifyOtpPage.tsx')).VerifyOtpPage,
    ),
  },
  '/auth/forgot-password': { redirect: '/auth/forgot-password/phone' },
  '/auth/forgot-password/phone': {
    layout: auth,
    page: later(
      async () => (await import('#web/features/auth/forgot/ForgotPhonePage.tsx')).ForgotPhonePage,
    ),
  },
  '/auth/forgot-password/otp': {
    layout: auth,
    page: later(
      async () => (await import('#web/features/auth/forgot/ForgotOtpPage.tsx')).ForgotOtpPage,
    ),
  },
  '/auth/forgot-password/change': {
    layout: auth,
    page: later(
      async () => (await import('#web/features/auth/forgot/ForgotChangePage.tsx')).ForgotChangePage,
    ),
  },

  '/scan/$data': {
    page: later(async () => (await import('#web/features/scan/ScanPage.tsx')).ScanPage),
  },
  '/simulator': {
    page: later(
      async () => (await import('#web/features/simulator/SimulatorPage.tsx')).SimulatorPage,
    ),
  },
  '/docs': { page: later(async () => (await import('#web/features/docs/DocsPage.tsx')).DocsPage) },
  '/leaving': {
    page: later(async () => (await import('#web/app/pages/LeavingPage.tsx')).LeavingPage),
  },
};

/** The operator pages: customers do not even load their addresses. */
const operatorRoutes: Routes = {
  '/operator/*': {
    layout: app,
    more: async () => (await import('#web/features/operator/routes.ts')).operatorRoutes(app),
  },
};

/** The component gallery; builds without it do not contain its address. */
function galleryRoutes(): Routes {
  if (!__GALLERY__) return {};
  const page = later(async () => (await import('#stories/gallery/GalleryPage.tsx')).GalleryPage);
  return { '/__galeri': { page }, '/__galeri/$piece': { page } };
}

export const routes: Routes = {
  ...Object.fromEntries(
    Object.entries(addresses).map(([path, search]) => [
      path,
      { ...pages[path as keyof typeof addresses], search },
    ]),
  ),
  ...operatorRoutes,
  ...galleryRoutes(),
};

declare module '#web/browser/router/routes.ts' {
  interface Registered {
    addresses: typeof addresses & typeof operatorAddresses;
  }
}
