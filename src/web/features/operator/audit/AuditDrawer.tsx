import type { AuditEntry } from '#contract/operator/audit.ts';
import { formatNumber } from '#contract/base/money.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { actorOf, factName, outcomeOf } from '#web/features/operator/audit/audit.ts';
import type { AuditChange } from '#web/features/operator/audit/Filters.tsx';
import { actSentence } from '#web/features/operator/audit/sentences.ts';
import desk from '#web/features/operator/form/form.module.css';
import { Button } from '#web/ui/button/Button.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { type Fact, Facts, Row } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type Props = {
  line: AuditEntry;
  onClose: () => void;
  onFilter: (change: AuditChange) => void;
};

export function AuditDrawer({ line, onClose, onFilter }: Props) {
  const { person, account, about } = line;
  const customer = about ?? (account && !account.ours ? account : null);
  return (
    <Drawer open onClose={onClose} title={actSentence(line.act)}>
      <div className={desk['drawer']}>
        <Facts facts={factsOf(line)} />
        {line.erased && (
          <p className={desk['note']}>
            Alamat IP dan rinciannya sudah dihapus: akunnya ditutup, atau lewat tujuh hari bagi yang
            belum masuk.
          </p>
        )}
        {(person || customer) && (
          <Row>
            {person && (
              <Button
                size="sm"
                variant="outline"
                tone="neutral"
                onClick={() => onFilter({ user: person.user_id })}
              >
                Semua catatan orang ini
              </Button>
            )}
            {customer && (
              <Button
                size="sm"
                variant="outline"
                tone="neutral"
                onClick={() => onFilter({ account: customer.account_id })}
              >
                Semua catatan pelanggan ini
              </Button>
            )}
          </Row>
        )}
      </div>
    </Drawer>
  );
}

const Hash = ({ children }: { children: string }) => (
  <span className={desk['hash']}>{children}</span>
);

const Customer = ({ account_id, name }: { account_id: string; name: string }) => (
  <Link to="/operator/pelanggan" search={{ open: account_id }}>
    {name}
  </Link>
);

function factsOf(line: AuditEntry): readonly Fact[] {
  const { person, account, about, whom, outcome } = line;
  const { label, tone } = outcomeOf(outcome);
  const facts: readonly (Fact | false)[] = [
    { term: 'Waktu', is: <DateTime at={line.at} /> },
    { term: 'Oleh', is: actorOf(line) },
    person !== null && { term: 'ID orang', is: <Hash>{person.user_id}</Hash> },
    account !== null && {
      term: 'Akun',
      is: account.ours ? account.name : <Customer {...account} />,
    },
    about !== null && { term: 'Pelanggan', is: <Customer {...about} /> },
    whom !== null && { term: 'Terhadap', is: whom.name },
    {
      term: 'Hasil',
      is: (
        <Row>
          <StatusChip tone={tone}>{label}</StatusChip>
          {outcome !== 'ok' && <Hash>{outcome}</Hash>}
        </Row>
      ),
    },
    ...Object.entries(line.facts).map(([field, id]) => ({
      term: factName(field),
      is: <Hash>{id}</Hash>,
    })),
    { term: 'Alamat IP', is: line.ip ? <span className="num">{line.ip}</span> : '—' },
    { term: 'Tindakan', is: <Hash>{line.act}</Hash> },
    { term: 'Permintaan', is: <Hash>{line.request}</Hash> },
    { term: 'Nomor dalam rantai', is: formatNumber(line.seq) },
    { term: 'ID catatan', is: <Hash>{line.id}</Hash> },
    { term: 'SHA-256', is: <Hash>{line.hash}</Hash> },
  ];
  return facts.filter((fact) => fact !== false);
}
