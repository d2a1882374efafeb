import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { BrokenPage } from '#web/app/pages/BrokenPage.tsx';
import { later } from '#web/browser/lazyComponent.ts';
import { Router } from '#web/browser/router/Router.tsx';
import { Announcer } from '#web/ui/announce/Announcer.tsx';
import { Spinner } from '#web/ui/button/Spinner.tsx';
import { OfflineBar } from '#web/ui/layout/OfflineBar.tsx';
import { ToastHost } from '#web/ui/toast/ToastHost.tsx';

const parts = {
  Broken: BrokenPage,
  NotFound: later(() => import('#web/ui/page/NotFoundPage.tsx')),
  pending: <Spinner screen />,
};

export const App = ({ client }: { client: QueryClient }) => (
  <QueryClientProvider client={client}>
    <OfflineBar />
    <Router parts={parts} />
    <ToastHost />
    <Announcer />
  </QueryClientProvider>
);
