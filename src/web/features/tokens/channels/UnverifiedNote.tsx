import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { allTokensQuery } from '#web/api/allTokens.ts';
import { cloudQuery } from '#web/features/tokens/channels/queries.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';

/** Warns that a Cloud API number receives no messages until Meta has verified the callback. */
export function UnverifiedNote() {
  const { data: tokens } = useQuery(allTokensQuery);
  const token = tokens?.find(({ channel, phone }) => channel === 'cloud' && phone !== null);
  const { data: cloud } = useQuery({
    ...cloudQuery(token?.id ?? ''),
    enabled: token !== undefined,
  });
  if (!token) return null;
  return (
    <Alert
      visible={cloud?.verified_at === null}
      state="warning"
      label="Meta belum memeriksa alamat Kabari, jadi pesan dari ponsel Anda belum masuk ke sini."
    >
      <p>
        <Link to="/token" search={{ open: token.id }}>
          Selesaikan langkah terakhirnya
        </Link>
      </p>
    </Alert>
  );
}
