import type { operatorAddresses } from '#web/features/operator/addresses.ts';
import { addresses } from '#web/app/routes/addresses.ts';
import { later } from '#web/browser/lazyComponent.ts';
import type { Route, Routes } from '#web/browser/router/routes.ts';

/** Set by `vite.config.ts`. */
declare const __GALLERY__: boolean;

/** Around the pages of who is signed in: from all of them, who is not is sent to sign in. */
const app = later(async () => (await import('#web/app/layout/AppLayout.tsx')).AppLayout);
/** Around signing in. */
const auth = later(async () => (await import('#web/app/layout/AuthLayout.tsx')).AuthLayout);

/** The page of every address: a chunk of its own, fetched when its link is pointed at. */
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

/** The operator's side: nobody else needs to know even its addresses. */
const operatorRoutes: Routes = {
  '/operator/*': {
    layout: app,
    more: async () => (await import('#web/features/operator/routes.ts')).operatorRoutes(app),
  },
};

/** The gallery of pieces; not even its address is in a build without it. */
function galleryRoutes(): Routes {
  if (!__GALLERY__) return {};
  const page = later(async () => (await import('#web/gallery/GalleryPage.tsx')).GalleryPage);
  return { '/__galeri': { page }, '/__galeri/$piece': { page } };
}

/** Every address, what its query may say, and its page; the operator's as one. */
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
