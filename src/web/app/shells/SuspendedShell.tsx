import { useQuery } from '@tanstack/react-query';
import { CirclePause } from 'lucide-react';
import { formatDateTime } from '#contract/base/time.ts';
import { signOut, userQuery, useUser } from '#web/api/user.ts';
import { Outlet, usePath } from '#web/browser/router/Router.tsx';
import type { Path } from '#web/browser/router/routes.ts';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import notice from '#web/ui/page/noticePage.module.css';

/** The page of customer service, which alone stays open to who is suspended. */
const SUPPORT = '/customer-service' as string as Path;
/** How often it is asked whether the account goes on. */
const LOOK_MS = 30_000;

/** All that a suspended account opens: why, and customer service. */
export function SuspendedShell() {
  useQuery({ ...userQuery, refetchInterval: LOOK_MS });
  const { suspension, timezone } = useUser();
  const reason = suspension?.reason ?? '';
  if (usePath() === SUPPORT) {
    return (
      <main id="isi" tabIndex={-1}>
        <Alert visible state="warning" label={`Akun Anda ditangguhkan: ${reason}`} />
        <Outlet />
      </main>
    );
  }
  return (
    <main id="isi" tabIndex={-1} className={notice['page']}>
      <CirclePause size={40} className={notice['icon']} aria-hidden="true" />
      <PageTitle>Akun Anda ditangguhkan</PageTitle>
      <p className={notice['text']}>{reason}</p>
      <p className={notice['text']}>
        {suspension && `Sejak ${formatDateTime(suspension.at, timezone)}. `}
        Pengiriman berhenti sementara; pesan yang menunggu, saldo, dan token Anda tetap tersimpan.
      </p>
      <div className={notice['actions']}>
        <LinkButton to={SUPPORT}>Hubungi layanan pelanggan</LinkButton>
        <Button variant="outline" tone="neutral" onClick={() => void signOut()}>
          Keluar
        </Button>
      </div>
    </main>
  );
}
