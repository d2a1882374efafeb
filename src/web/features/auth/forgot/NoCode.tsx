import { Link } from '#web/browser/router/Link.tsx';
import type { ReactNode } from 'react';
import styles from '#web/features/auth/auth.module.css';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';

/** Shown at a step of the forgotten password that was opened out of order or too late. */
export const NoCode = ({ title, children }: { title: string; children: ReactNode }) => (
  <>
    <PageTitle>{title}</PageTitle>
    <p role="status" className="mt-8 muted">
      {children} Minta kode baru untuk mengganti kata sandi.
    </p>
    <div className={styles['form']}>
      <LinkButton to="/auth/forgot-password/phone" size="lg" block>
        Minta kode
      </LinkButton>
    </div>
    <p className={styles['other']}>
      Ingat kata sandi Anda? <Link to="/auth/login">Masuk</Link>
    </p>
  </>
);
