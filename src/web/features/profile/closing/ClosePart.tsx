import { lazy, Suspense, useState } from 'react';
import { useUser } from '#web/api/user.ts';
import { KeepAccount } from '#web/features/profile/closing/KeepAccount.tsx';
import styles from '#web/features/profile/profile.module.css';
import { classes } from '#web/ui/classes.ts';
import { Section } from '#web/features/profile/Section.tsx';
import { formatDateTime } from '#contract/base/time.ts';
import { Button } from '#web/ui/button/Button.tsx';

const CloseDialog = lazy(async () => ({
  default: (await import('#web/features/profile/closing/CloseDialog.tsx')).CloseDialog,
}));

export function ClosePart() {
  const { erased_at: erasedAt, timezone } = useUser();
  const [asking, setAsking] = useState(false);
  return (
    <Section
      id="hapus-akun"
      title="Hapus akun"
      about="Semua isi akun dihapus tujuh hari setelah diminta. Sampai saat itu Anda dapat membatalkannya."
    >
      {erasedAt === null ? (
        <div>
          <Button variant="outline" tone="danger" onClick={() => setAsking(true)}>
            Hapus akun saya
          </Button>
        </div>
      ) : (
        <div className="row wrap justify-between gap-10 gap-x-16">
          <p className={classes('strong num', styles['strong'])}>
            Akun ini dihapus pada {formatDateTime(erasedAt, timezone)}.
          </p>
          <KeepAccount />
        </div>
      )}
      {asking && (
        <Suspense>
          <CloseDialog onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </Section>
  );
}
