import { Link } from '#web/browser/router/Link.tsx';
import { formatDateTime } from '#contract/base/time.ts';
import { useUser } from '#web/api/user.ts';
import { KeepAccount } from '#web/features/profile/closing/KeepAccount.tsx';
import styles from '#web/features/profile/profile.module.css';
import { classes } from '#web/ui/classes.ts';

/** On every screen before a pending deletion: its date, and a way to cancel it. */
export function ClosingNotice() {
  const { erased_at: erasedAt, timezone } = useUser();
  if (erasedAt === null) return null;
  return (
    <section
      className={classes(
        'row wrap justify-between gap-10 gap-x-16 mb-20 py-12 px-16 rounded-lg text-danger',
        styles['notice'],
      )}
      aria-label="Akun akan dihapus"
    >
      <p>
        <strong>
          Akun ini dan semua isinya dihapus pada {formatDateTime(erasedAt, timezone)}.
        </strong>{' '}
        <Link to="/profile" hash="data">
          Unduh data Anda
        </Link>{' '}
        sebelum itu.
      </p>
      <KeepAccount />
    </section>
  );
}
