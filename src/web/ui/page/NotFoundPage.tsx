import { SearchX } from 'lucide-react';
import styles from '#web/ui/page/noticePage.module.css';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { useBroken } from '#web/ui/media/useBroken.ts';

const PICTURE = '/not-found.svg';

/** The page of unknown addresses, and of those the user may not see. */
export function NotFoundPage() {
  const { broken, fail } = useBroken(PICTURE);
  return (
    <main id="isi" tabIndex={-1} className={styles['page']}>
      {broken ? (
        <SearchX size={72} strokeWidth={1} className="mb-12" />
      ) : (
        <img src={PICTURE} alt="" width={220} height={160} onError={fail} className="mb-12" />
      )}
      <PageTitle>Halaman tidak ditemukan</PageTitle>
      <p className={styles['text']}>
        Alamat ini tidak ada atau sudah dipindahkan. Periksa kembali tautannya.
      </p>
      <div className="flex wrap justify-center gap-8 mt-12">
        <LinkButton to="/">Kembali ke Halaman Utama</LinkButton>
      </div>
    </main>
  );
}
