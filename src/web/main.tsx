import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { makeQueryClient } from '#web/api/query.ts';
import { App } from '#web/app/App.tsx';
import { routes } from '#web/app/routes/routes.ts';
import { startNavigation } from '#web/browser/router/navigation.ts';
import { whenIdle } from '#web/browser/scheduling/whenIdle.ts';
import '#web/styles/base.css';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

startNavigation(routes);
createRoot(root).render(
  <StrictMode>
    <App client={makeQueryClient()} />
  </StrictMode>,
);

const startWorker = () =>
  void import('#web/app/startServiceWorker.ts')
    .then((own) => own.startWorker())
    .catch(() => undefined);
whenIdle(startWorker);
