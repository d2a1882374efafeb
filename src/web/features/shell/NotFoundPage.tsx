import styles from '#web/features/shell/Notice.module.css';
import { LinkButton } from '#web/ui/Button.tsx';
import { PageTitle } from '#web/ui/frame/PageTitle.tsx';

/** Any path that is nobody's; also what is not for the one who asks. */
export const NotFoundPage = () => (
  <main id="isi" tabIndex={-1} className={styles['page']}>
    <img src="/not-found.svg" alt="" width={220} height={160} className={styles['image']} />
    <PageTitle>Halaman tidak ditemukan</PageTitle>
    <p className={styles['text']}>
      Alamat ini tidak ada atau sudah dipindahkan. Periksa kembali tautannya.
    </p>
    <div className={styles['actions']}>
      <LinkButton to="/">Kembali ke Halaman Utama</LinkButton>
    </div>
  </main>
);
