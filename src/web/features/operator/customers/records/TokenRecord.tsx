import { useQuery } from '@tanstack/react-query';
import { formatNumber } from '#contract/base/money.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { type OperatorToken, getCustomerToken } from '#contract/operator/customers.ts';
import { tokenStatusLabel } from '#contract/tokens.ts';
import type { RecordProps } from '#web/features/operator/customers/records/record.ts';
import { actQuery } from '#web/features/operator/form/actQuery.ts';
import desk from '#web/features/operator/form/form.module.css';
import { Loaded } from '#web/features/operator/form/Loaded.tsx';
import { channelLabel, statusTone } from '#web/features/tokens/tokens.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { type Fact, Facts } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

export function TokenRecord({ accountId, id }: RecordProps) {
  const token = useQuery(actQuery(getCustomerToken, { account_id: accountId, token_id: id }));
  return (
    <Loaded query={token} lines={8}>
      {(data) => (
        <div className={desk['drawer']}>
          <Alert
            state="warning"
            visible={data.status !== 'linked' && data.status !== 'linking'}
            label={disconnectedWords(data)}
          />
          <Facts facts={factsOf(data)} />
        </div>
      )}
    </Loaded>
  );
}

const disconnectedWords = ({ channel, waiting }: OperatorToken): string => {
  const what = channel === 'cloud' ? 'nomor di Meta' : 'ponsel';
  const how = channel === 'cloud' ? 'memasukkan access token baru' : 'memindai QR';
  const held = waiting > 0 ? ', jadi pesan yang menunggu belum dapat dikirim' : '';
  return `Token ini tidak tersambung ke ${what}${held}. Minta pelanggan ${how} di halaman Nomor.`;
};

const moment = (at: Date | null, none: string) => (at ? <DateTime at={at} /> : none);

const factsOf = (token: OperatorToken): readonly Fact[] => [
  { term: 'Nama', is: token.name },
  {
    term: 'Status',
    is: <StatusChip tone={statusTone[token.status]}>{tokenStatusLabel[token.status]}</StatusChip>,
  },
  { term: 'Kanal', is: channelLabel[token.channel] },
  {
    term: 'Nomor',
    is: token.phone ? <span className="num">{formatPhone(token.phone)}</span> : 'Belum ada',
  },
  { term: 'Tersambung sejak', is: moment(token.linked_at, 'Belum tersambung') },
  { term: 'Pesan menunggu', is: formatNumber(token.waiting) },
  {
    term: 'Pesan hari ini',
    is: `${formatNumber(token.sent_today)} dari ${formatNumber(token.daily_limit)}`,
  },
  { term: 'Kunci API terakhir dipakai', is: moment(token.last_used_at, 'Belum pernah') },
  { term: 'Dibuat', is: <DateTime at={token.created_at} /> },
  {
    term: 'Akhir kunci',
    is: token.key_hint ? <span className={desk['hash']}>…{token.key_hint}</span> : 'Belum ada',
  },
  { term: 'ID', is: <span className={desk['hash']}>{token.id}</span> },
];
