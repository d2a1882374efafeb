import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { parseSearch, stringifySearch } from '#web/app/routes/search.ts';
import { date, oneOf, searchFields, text, whole } from '#web/app/routes/searchFields.ts';
import { AuthLayout } from '#web/app/layout/AuthLayout.tsx';
import { BrokenPage } from '#web/app/pages/BrokenPage.tsx';
import { Announcer } from '#web/ui/announce/Announcer.tsx';
import { OfflineBar } from '#web/ui/layout/OfflineBar.tsx';
import { Spinner } from '#web/ui/button/Spinner.tsx';
import { ToastHost } from '#web/ui/toast/ToastHost.tsx';

const NotFoundPage = lazyRouteComponent(
  () => import('#web/ui/page/NotFoundPage.tsx'),
  'NotFoundPage',
);

/** Set by `vite.config.ts`. */
declare const __GALLERY__: boolean;

const rootRoute = createRootRouteWithContext<{ client: QueryClient }>()({
  component: () => (
    <>
      <OfflineBar />
      <Outlet />
      <ToastHost />
      <Announcer />
    </>
  ),
  notFoundComponent: NotFoundPage,
});

/** What every list keeps in its address; `page` counts as the list's paging does. */
const listFields = {
  page: whole,
  sort_by: text,
  sort_type: oneOf(['asc', 'desc']),
} as const;

const authRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/auth',
  component: AuthLayout,
});
const authIndexRoute = createRoute({
  getParentRoute: () => authRoute,
  path: '/',
  beforeLoad: () => {
    redirect({ to: '/auth/login', replace: true, throw: true });
  },
});
const loginRoute = createRoute({
  getParentRoute: () => authRoute,
  path: 'login',
  component: lazyRouteComponent(
    () => import('#web/features/auth/login/LoginPage.tsx'),
    'LoginPage',
  ),
});
const registerRoute = createRoute({
  getParentRoute: () => authRoute,
  path: 'register',
  component: lazyRouteComponent(
    () => import('#web/features/auth/register/RegisterPage.tsx'),
    'RegisterPage',
  ),
});
const verifyOtpRoute = createRoute({
  getParentRoute: () => authRoute,
  path: 'verify-otp',
  component: lazyRouteComponent(
    () => import('#web/features/auth/register/VerifyOtpPage.tsx'),
    'VerifyOtpPage',
  ),
});

const forgotRoute = createRoute({
  getParentRoute: () => authRoute,
  path: 'forgot-password',
});
const forgotIndexRoute = createRoute({
  getParentRoute: () => forgotRoute,
  path: '/',
  beforeLoad: () => {
    redirect({ to: '/auth/forgot-password/phone', replace: true, throw: true });
  },
});
const forgotPhoneRoute = createRoute({
  getParentRoute: () => forgotRoute,
  path: 'phone',
  component: lazyRouteComponent(
    () => import('#web/features/auth/forgot/ForgotPhonePage.tsx'),
    'ForgotPhonePage',
  ),
});
const forgotOtpRoute = createRoute({
  getParentRoute: () => forgotRoute,
  path: 'otp',
  component: lazyRouteComponent(
    () => import('#web/features/auth/forgot/ForgotOtpPage.tsx'),
    'ForgotOtpPage',
  ),
});
const forgotChangeRoute = createRoute({
  getParentRoute: () => forgotRoute,
  path: 'change',
  component: lazyRouteComponent(
    () => import('#web/features/auth/forgot/ForgotChangePage.tsx'),
    'ForgotChangePage',
  ),
});

const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  component: lazyRouteComponent(() => import('#web/app/layout/AppLayout.tsx'), 'AppLayout'),
});
const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  component: lazyRouteComponent(() => import('#web/features/home/HomePage.tsx'), 'HomePage'),
});
const tokensRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/token',
  validateSearch: searchFields({ ...listFields, open: text, view: oneOf(['new', 'link']) }),
  component: lazyRouteComponent(() => import('#web/features/tokens/TokensPage.tsx'), 'TokensPage'),
});
const messagesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/message-history',
  validateSearch: searchFields({
    ...listFields,
    q: text,
    from: date,
    to: date,
    direction: text,
    status: text,
    type: text,
    token: text,
    /** Left out: the table. */
    view: oneOf(['percakapan']),
    /** The message or conversation whose details are open. */
    open: text,
    peer: text,
    new: oneOf(['1']),
  }),
  component: lazyRouteComponent(
    () => import('#web/features/messages/MessagesPage.tsx'),
    'MessagesPage',
  ),
});
const saldoRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/saldo',
  validateSearch: searchFields({
    ...listFields,
    from: date,
    to: date,
    kind: text,
    open: text,
    new: oneOf(['1']),
  }),
  component: lazyRouteComponent(() => import('#web/features/saldo/SaldoPage.tsx'), 'SaldoPage'),
});
const operatorRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/operator',
  validateSearch: searchFields({ ...listFields, status: text, open: text }),
  component: lazyRouteComponent(
    () => import('#web/features/operator/OperatorPage.tsx'),
    'OperatorPage',
  ),
});

const profileRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/profile',
  component: lazyRouteComponent(
    () => import('#web/features/profile/ProfilePage.tsx'),
    'ProfilePage',
  ),
});

const scanRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/scan/$data',
  component: lazyRouteComponent(() => import('#web/features/scan/ScanPage.tsx'), 'ScanPage'),
});
const simulatorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/simulator',
  /** Without `bank` it is a phone; with it the bank, its amount filled in. */
  validateSearch: searchFields({ phone: text, bank: oneOf(['1']), amount: whole }),
  component: lazyRouteComponent(
    () => import('#web/features/simulator/SimulatorPage.tsx'),
    'SimulatorPage',
  ),
});
const docsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/docs',
  component: lazyRouteComponent(() => import('#web/features/docs/DocsPage.tsx'), 'DocsPage'),
});
const leavingRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/leaving',
  validateSearch: searchFields({ to: text }),
  component: lazyRouteComponent(() => import('#web/app/pages/LeavingPage.tsx'), 'LeavingPage'),
});

/** The gallery of pieces; not even its address is in a build without it. */
const galleryRoutes = __GALLERY__
  ? [
      createRoute({
        getParentRoute: () => rootRoute,
        path: '/__galeri/{-$piece}',
        component: lazyRouteComponent(() => import('#web/gallery/GalleryPage.tsx'), 'GalleryPage'),
      }),
    ]
  : [];

const routeTree = rootRoute.addChildren([
  authRoute.addChildren([
    authIndexRoute,
    loginRoute,
    registerRoute,
    verifyOtpRoute,
    forgotRoute.addChildren([
      forgotIndexRoute,
      forgotPhoneRoute,
      forgotOtpRoute,
      forgotChangeRoute,
    ]),
  ]),
  appRoute.addChildren([
    homeRoute,
    tokensRoute,
    messagesRoute,
    saldoRoute,
    operatorRoute,
    profileRoute,
  ]),
  scanRoute,
  simulatorRoute,
  docsRoute,
  leavingRoute,
  ...galleryRoutes,
]);

/** Every address and its page; each page is a chunk of its own, fetched when its link is pointed at. */
export const makeRouter = (client: QueryClient) =>
  createRouter({
    routeTree,
    context: { client },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultNotFoundComponent: NotFoundPage,
    defaultErrorComponent: BrokenPage,
    defaultPendingComponent: () => <Spinner screen />,
    defaultPendingMs: 300,
    // Paging and filtering change the address too; only another page is worth a transition. Not the
    // first one: it comes from nowhere, and what is clicked meanwhile is not heard.
    defaultViewTransition: {
      types: ({ fromLocation, pathChanged }) => (fromLocation && pathChanged ? ['page'] : false),
    },
    Wrap: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
