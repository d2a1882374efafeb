import { CloudOff } from 'lucide-react';
import { sentenceOf, TransportError } from '#web/api/errors.ts';
import notice from '#web/ui/page/noticePage.module.css';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { useOnline } from '#web/ui/layout/OfflineBar.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';

type Props = {
  /** The last failure; null during a retry. */
  error: Error | null;
  retry: () => void;
};

const noAnswer = new TransportError('network');

/** On the sign-in pages: there is a session but the server is unreachable. */
export const LostServer = ({ error, retry }: Props) => (
  <div className="mb-24">
    <Alert visible state="warning" label={sentenceOf(error ?? noAnswer)}>
      <Button variant="link" tone="neutral" onClick={retry}>
        Coba lagi
      </Button>
    </Alert>
  </div>
);

/** The same in place of any other page; retries until the server answers. */
export function Unreached({ retry }: Pick<Props, 'retry'>) {
  const online = useOnline();
  return (
    <main id="isi" tabIndex={-1} className={notice['page']}>
      <CloudOff size={40} className="faint" />
      <PageTitle>Belum tersambung</PageTitle>
      <p className={notice['text']} role="status">
        {online ? 'Server belum dapat dihubungi.' : 'Perangkat Anda sedang offline.'} Anda tetap
        masuk, dan halaman ini terbuka otomatis begitu tersambung.
      </p>
      <div className="flex wrap justify-center gap-8 mt-12">
        <Button variant="outline" onClick={retry}>
          Coba lagi
        </Button>
      </div>
    </main>
  );
}
