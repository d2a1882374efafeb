import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { warmCalls } from '#web/client/calls.ts';
import { sentenceOf } from '#web/client/errors.ts';
import { sessionToken } from '#web/client/session.ts';
import { userQuery } from '#web/client/user.ts';
import styles from '#web/features/shell/AuthLayout.module.css';
import { Mark } from '#web/features/shell/Mark.tsx';
import { useArrival } from '#web/features/shell/useArrival.ts';
import { Alert } from '#web/ui/Alert.tsx';
import { Button } from '#web/ui/Button.tsx';
import { Spinner } from '#web/ui/Spinner.tsx';

/** Everything under `/auth`: one calm column. Who is signed in already is sent on. */
export function AuthLayout() {
  const { status, error, refetch } = useQuery(userQuery);
  useArrival();
  useEffect(warmCalls, []);
  if (status !== 'error') return <Spinner screen />;
  return (
    <div className={styles['page']}>
      <main id="isi" tabIndex={-1} className={styles['column']}>
        <Mark />
        <div className={styles['content']}>
          {/* A session is there, only the server could not be asked about it. */}
          {sessionToken() !== '' && (
            <div className={styles['lost']}>
              <Alert visible state="warning" label={sentenceOf(error)}>
                <Button variant="link" tone="attention" onClick={() => void refetch()}>
                  Coba lagi
                </Button>
              </Alert>
            </div>
          )}
          <Outlet />
        </div>
        <p className={styles['trust']}>
          Kata sandi dan kode Anda hanya diketik di halaman ini. Kabari tidak pernah memintanya
          lewat pesan atau telepon.
        </p>
      </main>
    </div>
  );
}
