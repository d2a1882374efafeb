import { useQuery } from '@tanstack/react-query';
import { getCustomerTopup } from '#contract/operator/customers.ts';
import { type Topup, topupMethodLabel, topupStatusLabel } from '#contract/saldo.ts';
import { useUser } from '#web/api/user.ts';
import type { RecordProps } from '#web/features/operator/customers/records/record.ts';
import { actQuery } from '#web/features/operator/form/actQuery.ts';
import desk from '#web/features/operator/form/form.module.css';
import { Loaded } from '#web/features/operator/form/Loaded.tsx';
import { maySee } from '#web/features/operator/operator.ts';
import { topupTone } from '#web/features/saldo/saldo.ts';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { type Fact, Facts } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

export function TopupRecord({ accountId, id }: RecordProps) {
  const { operator_roles: roles } = useUser();
  const topup = useQuery(actQuery(getCustomerTopup, { account_id: accountId, topup_id: id }));
  return (
    <Loaded query={topup} lines={8}>
      {(data) => (
        <div className={desk['drawer']}>
          <Facts facts={factsOf(data)} />
          {maySee({ roles: ['money'] }, roles) && (
            <div className={desk['actions']}>
              <LinkButton
                to="/operator/isi-saldo"
                search={{ status: 'semua', open: data.id }}
                variant="outline"
                tone="neutral"
              >
                Buka di Isi saldo
              </LinkButton>
            </div>
          )}
        </div>
      )}
    </Loaded>
  );
}

const factsOf = (topup: Topup): readonly Fact[] => [
  {
    term: 'Status',
    is: <StatusChip tone={topupTone[topup.status]}>{topupStatusLabel[topup.status]}</StatusChip>,
  },
  { term: 'Cara', is: topupMethodLabel[topup.method] },
  { term: 'Dibayar', is: <Money amount={topup.total} /> },
  { term: 'Masuk ke saldo', is: <Money amount={topup.credited} /> },
  { term: 'Dibuat', is: <DateTime at={topup.created_at} /> },
  ...(topup.paid_at ? [{ term: 'Lunas', is: <DateTime at={topup.paid_at} /> }] : []),
  ...(topup.status === 'pending'
    ? [{ term: 'Berlaku sampai', is: <DateTime at={topup.expires_at} /> }]
    : []),
  { term: 'ID', is: <span className={desk['hash']}>{topup.id}</span> },
];
