import { useQuery } from '@tanstack/react-query';
import { CirclePause, TriangleAlert } from 'lucide-react';
import { useRef } from 'react';
import { formatDateTime } from '#contract/base/time.ts';
import { signOut, userQuery, useUser } from '#web/api/user.ts';
import { Outlet, usePath } from '#web/browser/router/Router.tsx';
import type { Path } from '#web/browser/router/routes.ts';
import { useFrameHeights } from '#web/app/layout/useFrameHeights.ts';
import { useSending } from '#web/app/layout/useSending.ts';
import styles from '#web/app/layout/frame.module.css';
import { useIncoming } from '#web/features/messages/incoming/useIncoming.ts';
import { supportNews, supportPatches } from '#web/features/support/unread.ts';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import notice from '#web/ui/page/noticePage.module.css';
import { classes } from '#web/ui/classes.ts';

/** Customer service is the only page open to suspended accounts. */
const SUPPORT = '/customer-service' as string as Path;
const LOOK_MS = 30_000;

/** Live updates are limited to customer service. */
const followed = { patches: [supportPatches], support: supportNews, messages: false };

/** The shell of a suspended account: the reason, and customer service. */
export function SuspendedShell() {
  useQuery({ ...userQuery, refetchInterval: LOOK_MS });
  const { id, suspension, timezone } = useUser();
  useIncoming(id, followed);
  useSending('support');
  const reason = suspension?.reason ?? '';
  if (usePath() === SUPPORT) return <InSupport reason={reason} />;
  return (
    <main id="isi" tabIndex={-1} className={notice['page']}>
      <CirclePause size={40} className="faint" />
      <PageTitle>Akun Anda ditangguhkan</PageTitle>
      <p className={notice['text']}>{reason}</p>
      <p className={notice['text']}>
        {suspension && `Sejak ${formatDateTime(suspension.at, timezone)}. `}
        Pengiriman berhenti sementara; pesan yang menunggu, saldo, dan token Anda tetap tersimpan.
      </p>
      <div className="flex wrap justify-center gap-8 mt-12">
        <LinkButton to={SUPPORT}>Hubungi layanan pelanggan</LinkButton>
        <SignOut />
      </div>
    </main>
  );
}

function InSupport({ reason }: { reason: string }) {
  const bar = useRef<HTMLElement>(null);
  useFrameHeights(bar);
  return (
    <div className={classes('column', styles['shell'])}>
      <header
        ref={bar}
        className={classes('row gap-12 flex-none text-warning bg-warning', styles['bar'])}
      >
        <TriangleAlert size={20} />
        <p className="fill break-anywhere">
          Akun Anda ditangguhkan: <bdi>{reason}</bdi>
        </p>
        <SignOut small />
      </header>
      <main
        id="isi"
        tabIndex={-1}
        className={classes('column grow min-h-0 w-full mx-auto', styles['suspendedShellMain'])}
      >
        <Outlet />
      </main>
    </div>
  );
}

const SignOut = ({ small = false }: { small?: boolean }) => (
  <Button variant="outline" {...(small && { size: 'sm' })} onClick={() => void signOut()}>
    Keluar
  </Button>
);
