import { useState } from 'react';
import { signOut } from '#web/api/user.ts';
import styles from '#web/app/layout/frame.module.css';
import { classes } from '#web/ui/classes.ts';
import { SecurityPage } from '#web/features/operator/security/SecurityPage.tsx';
import { ReauthHost } from '#web/features/profile/reauth/ReauthHost.tsx';
import { Logo } from '#web/ui/brand/Logo.tsx';
import { Button } from '#web/ui/button/Button.tsx';

/** Shown in place of all pages until an operator sets up the required second factor. */
export function EnrolGate() {
  const [busy, setBusy] = useState(false);
  const leave = () => {
    setBusy(true);
    void signOut();
  };
  return (
    <>
      <main id="isi" tabIndex={-1} className={classes('stack gap-32 mx-auto', styles['page'])}>
        <div className="row justify-between gap-16">
          <Logo />
          <Button variant="outline" size="sm" busy={busy} onClick={leave}>
            Keluar
          </Button>
        </div>
        <div>
          <SecurityPage />
        </div>
      </main>
      <ReauthHost />
    </>
  );
}
