import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { makeQueryClient } from '#web/api/query.ts';
import { sessionToken } from '#web/browser/session.ts';
import { settleTransitions } from '#web/browser/viewTransitions.ts';
import { whenIdle } from '#web/browser/whenIdle.ts';
import { makeRouter } from '#web/app/routes/routes.tsx';
import '#web/styles/base.css';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

// Who is signed in will see the frame: its stylesheets are asked for before the router has begun.
if (sessionToken() !== '') void import('#web/app/layout/AppLayout.tsx').catch(() => undefined);

settleTransitions();
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={makeRouter(makeQueryClient())} />
  </StrictMode>,
);

const startWorker = () =>
  void import('#web/app/startServiceWorker.ts')
    .then((own) => own.startWorker())
    .catch(() => undefined);
whenIdle(startWorker);
