import { type Token, tokenStatusLabel } from '#contract/tokens.ts';
import { useHasToken } from '#web/api/allTokens.ts';
import { Link } from '#web/browser/router/Link.tsx';

type Props = { token: Pick<Token, 'id' | 'name' | 'status'> };

/** Why nothing can be sent from a number that is not linked, and the way out. */
export function DisconnectedNumber({ token: { id, name, status } }: Props) {
  if (!useHasToken(id)) return <DeletedNumber name={name} />;
  // Only a phone ends the linking: until then, the number is as good as unlinked.
  const shown = status === 'linking' ? 'unlinked' : status;
  return (
    <>
      Nomor <bdi>{name}</bdi> {tokenStatusLabel[shown].toLowerCase()}.{' '}
      {status === 'suspended' ? (
        <Link to="/token" search={{ open: id }}>
          Buka halaman Nomor
        </Link>
      ) : (
        <Link to="/token" search={{ open: id, view: 'link' }}>
          Sambungkan
        </Link>
      )}
    </>
  );
}

export const DeletedNumber = ({ name }: { name: string }) => (
  <>
    Nomor <bdi>{name}</bdi> sudah dihapus.
  </>
);
