import type { operatorAddresses } from '#web/features/operator/addresses.ts';
import { addresses } from '#web/app/routes/addresses.ts';
import { later } from '#web/browser/lazyComponent.ts';
import type { Route, Routes } from '#web/browser/router/routes.ts';

/** Defined by `vite.config.ts`. */
declare const __GALLERY__: boolean;

const app = later(() => import('#web/app/layout/AppLayout.tsx'));
const auth = later(() => import('#web/app/layout/AuthLayout.tsx'));

/** The page of each address: a chunk of its own, fetched when its link is hovered. */
const pages: Readonly<Record<keyof typeof addresses, Omit<Route, 'search'>>> = {
  '/': {
    layout: app,
    page: later(() => import('#web/features/home/HomePage.tsx')),
  },
  '/token': {
    layout: app,
    page: later(() => import('#web/features/tokens/TokensPage.tsx')),
  },
  '/token/templat': {
    layout: app,
    page: later(() => import('#web/features/tokens/templates/TemplatesPage.tsx')),
  },
  '/token/webhook': {
    layout: app,
    page: later(() => import('#web/features/webhooks/WebhookPage.tsx')),
  },
  '/message-history': {
    layout: app,
    page: later(() => import('#web/features/messages/MessagesPage.tsx')),
  },
  '/message-history/kiriman': {
    layout: app,
    page: later(() => import('#web/features/campaigns/CampaignsPage.tsx')),
  },
  '/message-history/ekspor': {
    layout: app,
    page: later(() => import('#web/features/messages/files/FilesPage.tsx')),
  },
  '/message-history/berhenti': {
    layout: app,
    page: later(() => import('#web/features/messages/optouts/OptoutsPage.tsx')),
  },
  '/saldo': {
    layout: app,
    page: later(() => import('#web/features/saldo/SaldoPage.tsx')),
  },
  '/billing': {
    layout: app,
    page: later(() => import('#web/features/billing/BillingPage.tsx')),
  },
  '/customer-service': {
    layout: app,
    page: later(() => import('#web/features/support/SupportPage.tsx')),
  },
  '/profile': {
    layout: app,
    page: later(() => import('#web/features/profile/ProfilePage.tsx')),
  },

  '/auth': { redirect: '/auth/login' },
  '/auth/login': {
    layout: auth,
    page: later(() => import('#web/features/auth/login/LoginPage.tsx')),
  },
  '/auth/register': {
    layout: auth,
    page: later(() => import('#web/features/auth/register/RegisterPage.tsx')),
  },
  '/auth/verify-otp': {
    layout: auth,
    page: later(() => import('#web/features/auth/register/VerifyOtpPage.tsx')),
  },
  '/auth/forgot-password': { redirect: '/auth/forgot-password/phone' },
  '/auth/forgot-password/phone': {
    layout: auth,
    page: later(() => import('#web/features/auth/forgot/ForgotPhonePage.tsx')),
  },
  '/auth/forgot-password/otp': {
    layout: auth,
    page: later(() => import('#web/features/auth/forgot/ForgotOtpPage.tsx')),
  },
  '/auth/forgot-password/change': {
    layout: auth,
    page: later(() => import('#web/features/auth/forgot/ForgotChangePage.tsx')),
  },

  '/scan/$data': {
    page: later(() => import('#web/features/scan/ScanPage.tsx')),
  },
  '/simulator': {
    page: later(() => import('#web/features/simulator/SimulatorPage.tsx')),
  },
  '/docs': { page: later(() => import('#web/features/docs/DocsPage.tsx')) },
  '/leaving': {
    page: later(() => import('#web/app/pages/LeavingPage.tsx')),
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
  const page = later(() => import('#stories/gallery/GalleryPage.tsx'));
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
