import { Link } from '#web/browser/router/Link.tsx';
import { useEffect } from 'react';
import { address } from '#web/browser/router/navigation.ts';
import { useStore } from '#web/browser/store.ts';
import { useUser } from '#web/api/user.ts';
import { AboutMe } from '#web/features/profile/AboutMe.tsx';
import { Appearance } from '#web/features/profile/preferences/Appearance.tsx';
import { ClosePart } from '#web/features/profile/closing/ClosePart.tsx';
import { MyData } from '#web/features/profile/MyData.tsx';
import { NoticesPart } from '#web/features/profile/preferences/NotificationsPart.tsx';
import { PasswordPart } from '#web/features/profile/PasswordPart.tsx';
import { PhonePart } from '#web/features/profile/phone/PhonePart.tsx';
import styles from '#web/features/profile/profile.module.css';
import { SecurityPart } from '#web/features/profile/SecurityPart.tsx';
import { SessionsPart } from '#web/features/profile/SessionsPart.tsx';
import { classes } from '#web/ui/classes.ts';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { scrollRow, useScrollRow } from '#web/ui/layout/useScrollRow.ts';

const parts = [
  { id: 'profil', title: 'Data diri', Part: AboutMe },
  { id: 'ponsel', title: 'Nomor ponsel', Part: PhonePart },
  { id: 'kata-sandi', title: 'Kata sandi', Part: PasswordPart },
  { id: 'sesi', title: 'Sesi', Part: SessionsPart },
  { id: 'tampilan', title: 'Tampilan', Part: Appearance },
] as const;

const operatorParts = [
  { id: 'verifikasi', title: 'Verifikasi dua langkah', Part: SecurityPart },
] as const;

/** Not for operators: they get no messages, and theirs is the installation's account. */
const customerParts = [
  { id: 'pemberitahuan', title: 'Pemberitahuan', Part: NoticesPart },
  { id: 'data', title: 'Data saya', Part: MyData },
  { id: 'hapus-akun', title: 'Hapus akun', Part: ClosePart },
] as const;

/** Route `/profile`: the signed-in person; each section has an anchor. */
export function ProfilePage() {
  const operator = useUser().role === 'operator';
  const shown = [...parts, ...(operator ? operatorParts : customerParts)];
  const anchors = useScrollRow<HTMLUListElement>();
  const part = useStore(address).hash.slice(1);
  // The router scrolls as soon as the address is known, before the person is loaded.
  useEffect(() => {
    // In a block: newer browsers return a promise, which React would take for a cleanup function.
    document.getElementById(part)?.scrollIntoView();
  }, [part]);
  return (
    <>
      <PageHead title="Profil" context="Data diri, keamanan, dan pilihan Anda." />
      <div className={classes('stack gap-20 mt-20', styles['page'])}>
        <nav aria-label="Bagian profil" className={styles['nav']}>
          <ul ref={anchors} className={classes(scrollRow, 'flex gap-4', styles['anchors'])}>
            {shown.map(({ id, title }) => (
              <li key={id}>
                <Link to="/profile" hash={id} replace>
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="stack max-w-672">
          {shown.map(({ id, Part }) => (
            <Part key={id} />
          ))}
        </div>
      </div>
    </>
  );
}
