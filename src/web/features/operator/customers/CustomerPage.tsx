import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import {
  type OperatorCustomerDetail,
  customerStateLabel,
  getCustomer,
} from '#contract/operator/customers.ts';
import { formatNumber } from '#contract/base/money.ts';
import { useUser } from '#web/api/user.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { ActionDrawer } from '#web/features/operator/customers/actions/ActionDrawer.tsx';
import type { Action } from '#web/features/operator/customers/actions/actions.ts';
import { ActionMenu } from '#web/features/operator/customers/actions/ActionMenu.tsx';
import { History } from '#web/features/operator/customers/History.tsx';
import { Sending } from '#web/features/operator/customers/Sending.tsx';
import styles from '#web/features/operator/customers/customers.module.css';
import { stateTone } from '#web/features/operator/customers/states.ts';
import { RecordDrawer } from '#web/features/operator/customers/records/RecordDrawer.tsx';
import { actQuery } from '#web/features/operator/form/actQuery.ts';
import desk from '#web/features/operator/form/form.module.css';
import { Loaded } from '#web/features/operator/form/Loaded.tsx';
import { maySee, SUPPORT_INBOX } from '#web/features/operator/operator.ts';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Stat, Stats } from '#web/ui/chart/Stat.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const AUDIT = '/operator/audit';

export function CustomerPage({ accountId }: { accountId: string }) {
  const customer = useQuery(actQuery(getCustomer, { account_id: accountId }));
  const [action, setAction] = useState<Action>();
  const { data } = customer;
  return (
    <>
      <OperatorFrame
        title={data?.name ?? 'Pelanggan'}
        context={data && <Identity customer={data} />}
        action={data && <ActionMenu customer={data} onChoose={setAction} />}
      >
        <div className={styles['page']}>
          <Link to="/operator/pelanggan" className={styles['back']}>
            <ArrowLeft size={16} aria-hidden="true" /> Semua pelanggan
          </Link>
          <Loaded query={customer} lines={14}>
            {(found) => <Customer customer={found} />}
          </Loaded>
        </div>
      </OperatorFrame>
      {data && action && (
        <ActionDrawer action={action} customer={data} onClose={() => setAction(undefined)} />
      )}
      <RecordDrawer accountId={accountId} />
    </>
  );
}

function Identity({
  customer: { phone, account_id, state },
}: {
  customer: OperatorCustomerDetail;
}) {
  const { operator_roles: roles } = useUser();
  return (
    <span className={styles['identity']}>
      <StatusChip tone={stateTone[state]}>{customerStateLabel[state]}</StatusChip>
      <span className="num">{phone || 'Tanpa nomor'}</span>
      <span className={desk['hash']}>{account_id}</span>
      {maySee({ roles: ['support'] }, roles) && (
        <a href={`${SUPPORT_INBOX}?open=${account_id}`}>Percakapan</a>
      )}
      {maySee({ roles: [] }, roles) && <a href={`${AUDIT}?account=${account_id}`}>Catatan audit</a>}
    </span>
  );
}

function Customer({ customer }: { customer: OperatorCustomerDetail }) {
  return (
    <>
      <Restrictions customer={customer} />
      <Figures customer={customer} />
      <div className={styles['columns']}>
        <Sending customer={customer} />
        <History customer={customer} />
      </div>
    </>
  );
}

function Restrictions({ customer }: { customer: OperatorCustomerDetail }) {
  const { state, suspensions, freezes, erase_at, status, bonus_only } = customer;
  const [last] = suspensions;
  const [frozen] = freezes;
  return (
    <>
      <Alert
        state="danger"
        variant="pro"
        visible={state === 'suspended'}
        label={`Akun ini ditangguhkan${last ? ` oleh ${last.operator}: ${last.reason}` : ''}`}
      >
        {last && <DateTime at={last.at} />}
      </Alert>
      <Alert
        state="warning"
        variant="pro"
        visible={status === 'frozen'}
        label={`Saldo dibekukan${frozen ? ` oleh ${frozen.operator}: ${frozen.reason}` : ''}`}
      />
      <Alert
        state="warning"
        variant="pro"
        visible={erase_at !== null && state !== 'closed'}
        label="Pemiliknya meminta akun ini dihapus."
      >
        {erase_at && <DateTime at={erase_at} />}
      </Alert>
      {bonus_only && (
        <p className={desk['note']}>Saldo bonus: hanya simulator dan nomor sendiri.</p>
      )}
    </>
  );
}

function Figures({ customer }: { customer: OperatorCustomerDetail }) {
  const { available, held, messages, subscription } = customer;
  return (
    <Stats>
      <Stat label="Saldo" value={<Money amount={available} />}>
        <Money amount={held} /> tertahan untuk pesan
      </Stat>
      <Stat label="Terkirim 24 jam" value={formatNumber(messages.day.sent)}>
        {formatNumber(messages.day.failed)} gagal
      </Stat>
      <Stat label="Terkirim 30 hari" value={formatNumber(messages.month.sent)}>
        {formatNumber(messages.month.failed)} gagal
      </Stat>
      <Stat label="Paket" value={subscription?.name ?? 'Tanpa paket'}>
        {subscription && <PlanState subscription={subscription} />}
      </Stat>
    </Stats>
  );
}

type PlanProps = { subscription: NonNullable<OperatorCustomerDetail['subscription']> };

function PlanState({ subscription: { status, is_free, period_end, ends_then } }: PlanProps) {
  if (status === 'past_due') return <>Menunggu pembayaran</>;
  if (status === 'suspended') return <>Fitur paket berhenti: belum dibayar</>;
  if (is_free) return <>Tanpa biaya bulanan</>;
  return (
    <>
      {ends_then ? 'Berhenti' : 'Diperpanjang'} <DateTime at={period_end} />
    </>
  );
}
