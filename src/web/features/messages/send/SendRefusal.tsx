import { refusalCode, sentenceOf } from '#web/api/errors.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';

/** Why a message was not accepted, and the way out; the fields of the form show what is wrong in them. */
export function SendRefusal({ error }: { error: Error | null }) {
  const code = refusalCode(error);
  if (!error || code === 'input_invalid') return null;
  return (
    <Alert state="danger" visible label={sentenceOf(error)}>
      {(code === 'saldo_short' || code === 'bonus_only') && (
        <p>
          <Link to="/saldo" search={{ new: '1' }}>
            Isi saldo
          </Link>
        </p>
      )}
      {code === 'window_closed' && (
        <p>
          <Link to="/token/templat">Lihat templat</Link>
        </p>
      )}
      {code === 'token_not_linked' && (
        <p>
          <Link to="/token">Buka halaman Nomor</Link>
        </p>
      )}
    </Alert>
  );
}
