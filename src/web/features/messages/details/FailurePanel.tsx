import type { MessageDetail } from '#contract/messages.ts';
import {
  failureCause,
  failureHelp,
  faultOf,
  type FailureHelp,
  type HelpPlace,
} from '#contract/messages/failures.ts';
import { formatDateTime } from '#contract/base/time.ts';
import { useHasToken } from '#web/api/allTokens.ts';
import { useUser } from '#web/api/user.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Facts, Panel } from '#web/ui/panel/Panel.tsx';

type Props = { message: MessageDetail };

export function FailurePanel({ message }: Props) {
  const { failure, status } = message;
  if (status !== 'failed' || failure === null) return null;
  const help: FailureHelp = failureHelp[failure];
  return (
    <Panel title="Mengapa gagal" look="attention">
      <Facts
        facts={[
          { term: 'Apa yang terjadi', is: help.what },
          { term: 'Di pihak siapa', is: <strong>{faultOf[help.whose]}</strong> },
          { term: 'Apakah dicoba lagi', is: help.again },
          {
            term: 'Yang dapat Anda lakukan',
            is: (
              <>
                {help.todo} <Way where={help.where} message={message} />
              </>
            ),
          },
        ]}
      />
    </Panel>
  );
}

function Way({ where, message }: Props & { where: HelpPlace }) {
  switch (where) {
    case 'token':
      return <TokenWay token={message.token} />;
    case 'templates':
      return <Link to="/token/templat">Buka templat</Link>;
    case 'conversation':
    case 'resend':
    case 'outside':
      return null;
  }
}

function TokenWay({ token: { id, name } }: Pick<MessageDetail, 'token'>) {
  const isThere = useHasToken(id);
  if (!isThere) {
    return (
      <>
        Nomor <bdi>{name}</bdi> sudah dihapus.
      </>
    );
  }
  return (
    <Link to="/token" search={{ open: id }}>
      Buka token <bdi>{name}</bdi>
    </Link>
  );
}

export function RetryNotice({ message: { retrying } }: Props) {
  const zone = useUser().timezone;
  if (!retrying) return null;
  const { failure, unanswered, tries, next_at: next } = retrying;
  const cause = unanswered
    ? 'Jaringan belum menjawab; kami menunggu laporannya sebelum mencoba lagi.'
    : `${failureCause(failure)}.`;
  return (
    <Alert
      state="warning"
      visible
      label={
        <>
          {tries > 0 && `Sudah dicoba ${tries} kali. `}
          {cause}{' '}
          {next === null
            ? 'Sedang dicoba lagi.'
            : `${unanswered ? 'Ditunggu sampai' : 'Dicoba lagi'} ${formatDateTime(next, zone)}, otomatis.`}
        </>
      }
    />
  );
}
