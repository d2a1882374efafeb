import { later } from '#web/browser/lazyComponent.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet } from '#web/browser/router/Router.tsx';
import { Suspense, useEffect, useState } from 'react';
import { preloadApi } from '#web/api/lazyApi.ts';
import { onSessionChange, sessionToken } from '#web/browser/session.ts';
import { userQuery, useAuthState } from '#web/api/user.ts';
import styles from '#web/app/layout/AuthLayout.module.css';
import { classes } from '#web/ui/classes.ts';
import { Logo } from '#web/ui/brand/Logo.tsx';
import { useAuthRedirect } from '#web/app/routes/useAuthRedirect.ts';
import { createStore } from '#web/browser/store.ts';
import { TypedPhone } from '#web/features/auth/login/typedPhone.ts';
import { Spinner } from '#web/ui/button/Spinner.tsx';

const LostServer = later(async () => {
  const { LostServer } = await import('#web/app/layout/LostServer.tsx');
  return { LostServer };
});

/** The layout of the `/auth` pages. Redirects a signed-in user. */
export function AuthLayout() {
  const { state, error, retry } = useAuthState();
  useAuthRedirect();
  const [phone] = useState(() => createStore(() => ''));
  useEffect(preloadApi, []);
  const client = useQueryClient();
  useEffect(
    () =>
      // Another tab signed in: this one uses that session.
      onSessionChange(() => {
        if (sessionToken() !== '') void client.resetQueries({ queryKey: userQuery.queryKey });
      }),
    [client],
  );
  if (state === 'asking' || state === 'known') return <Spinner screen />;
  return (
    <div className={classes('grid', styles['page'])}>
      <main id="isi" tabIndex={-1} className={classes('stack w-full mx-auto', styles['column'])}>
        <Logo />
        <div className="mt-32">
          {sessionToken() !== '' && (
            <Suspense>
              <LostServer error={error} retry={retry} />
            </Suspense>
          )}
          <TypedPhone value={phone}>
            <Outlet />
          </TypedPhone>
        </div>
        <p className={classes('small faint pretty border-t leading-text', styles['trust'])}>
          Kata sandi dan kode Anda hanya diketik di halaman ini. Kabari tidak pernah memintanya
          lewat pesan atau telepon.
        </p>
      </main>
    </div>
  );
}
