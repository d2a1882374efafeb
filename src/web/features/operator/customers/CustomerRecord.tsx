import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { type Invoice, invoiceStatusLabel } from '#contract/billing.ts';
import { formatNumber } from '#contract/base/money.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { messageTypeLabel } from '#contract/messages.ts';
import { failures } from '#contract/messages/failures.ts';
import {
  type OperatorMessage,
  type OperatorToken,
  getCustomerInvoice,
  getCustomerMessage,
  getCustomerToken,
  getCustomerTopup,
  readCustomerMessage,
} from '#contract/operator/customers.ts';
import { type Topup, topupMethodLabel, topupStatusLabel } from '#contract/saldo.ts';
import { tokenStatusLabel } from '#contract/tokens.ts';
import { useUser } from '#web/api/user.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { invoiceTone } from '#web/features/billing/billing.ts';
import { StatusMark, timelineEntries } from '#web/features/messages/messages.ts';
import styles from '#web/features/operator/operator.module.css';
import { goCustomers, recordKinds } from '#web/features/operator/customers/customers.ts';
import { maySee } from '#web/features/operator/operator.ts';
import { classes } from '#web/ui/classes.ts';
import { OperatorForm } from '#web/features/operator/OperatorForm.tsx';
import { Hash, Loaded, RecordDrawer } from '#web/features/operator/OperatorFrame.tsx';
import { actQuery } from '#web/features/operator/operatorQuery.ts';
import { topupTone } from '#web/features/saldo/saldo.ts';
import { channelLabel, statusTone } from '#web/features/tokens/tokens.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { type FactList, Facts, Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { Timeline } from '#web/ui/status/Timeline.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type RecordProps = { accountId: string; id: string };

/** The record that the address names, in a drawer over its customer's page. */
export function CustomerRecord({ accountId }: { accountId: string }) {
  const search = useSearch('/operator/pelanggan');
  const kind = recordKinds.find((one) => search[one] !== undefined);
  if (kind === undefined) return null;
  const { title, Record } = records[kind];
  const id = search[kind] ?? '';
  return (
    <RecordDrawer title={title} onClose={() => goCustomers({ [kind]: undefined })}>
      <Record key={id} accountId={accountId} id={id} />
    </RecordDrawer>
  );
}

/** A link in the text that opens a record. */
export const Open = ({ onClick, children }: { onClick: () => void; children: ReactNode }) => (
  <button
    type="button"
    className={classes('break-anywhere text-start pointer inherit underline', styles['plain'])}
    onClick={onClick}
  >
    {children}
  </button>
);

/** A customer's message: its timeline, and, after a reason is given, its content. */
function MessageRecord({ accountId, id }: RecordProps) {
  const { operator_roles: roles, timezone } = useUser();
  const message = useQuery(actQuery(getCustomerMessage, { account_id: accountId, message_id: id }));
  return (
    <Loaded query={message} lines={10}>
      {(data) => (
        <>
          <Alert
            state="danger"
            visible={data.failure !== null}
            label={data.failure ? failures[data.failure] : ''}
          />
          <Facts facts={messageFacts(data)} />
          <Panel title="Perjalanan">
            <Timeline entries={timelineEntries(data, timezone)} />
          </Panel>
          {maySee({ roles: ['support'] }, roles) && <Disclosure accountId={accountId} id={id} />}
        </>
      )}
    </Loaded>
  );
}

function messageFacts(message: OperatorMessage): FactList {
  const { direction, by_quota, price, token, type, peer, created_at, ref, id } = message;
  const isOurs = direction === 'out';
  return [
    { term: 'Status', is: <StatusMark status={message.status} /> },
    { term: isOurs ? 'Kepada' : 'Dari', is: <span className="num">{peer}</span> },
    {
      term: 'Token',
      is: (
        <Open onClick={() => goCustomers({ message: undefined, token: token.id })}>
          {token.name}
        </Open>
      ),
    },
    { term: 'Jenis', is: messageTypeLabel[type] },
    { term: 'Waktu', is: <DateTime at={created_at} /> },
    isOurs && { term: 'Biaya', is: by_quota ? 'Termasuk kuota paket' : <Money amount={price} /> },
    message.possible_duplicate && {
      term: 'Catatan',
      is: 'Mungkin sampai dua kali: jaringan tidak menjawab percobaan pertama.',
    },
    ref !== null && { term: 'Ref pelanggan', is: <Hash>{ref}</Hash> },
    { term: 'ID', is: <Hash>{id}</Hash> },
  ];
}

/** Its content, shown for a reason; the reader and the reason are recorded. */
function Disclosure({ accountId, id }: RecordProps) {
  const [said, setSaid] = useState<string | null>();
  return (
    <Panel title="Isi pesan">
      {said === undefined ? (
        <OperatorForm
          act={readCustomerMessage}
          initial={{ reason: '' }}
          inputOf={({ reason }) => ({ account_id: accountId, message_id: id, reason })}
          question={() => ({
            title: 'Baca isi pesan ini?',
            text: 'Isi pesan adalah urusan pelanggan dengan penerimanya. Nama Anda dan alasannya tercatat.',
            button: 'Baca isi',
          })}
          said="Tercatat di catatan audit."
          onDone={({ text }) => setSaid(text)}
          reasonHelp="Tercatat bersama nama Anda."
          actions="Baca isi"
          look={{ variant: 'outline' }}
        />
      ) : (
        <p
          className={
            said === null ? 'muted' : classes('py-12 px-16 border rounded break-anywhere pre-wrap')
          }
        >
          {said ?? 'Pesan ini tidak berisi kata-kata.'}
        </p>
      )}
    </Panel>
  );
}

function TokenRecord({ accountId, id }: RecordProps) {
  const token = useQuery(actQuery(getCustomerToken, { account_id: accountId, token_id: id }));
  return (
    <Loaded query={token} lines={8}>
      {(data) => (
        <>
          <Alert
            state="warning"
            visible={data.status !== 'linked' && data.status !== 'linking'}
            label={disconnectedWords(data)}
          />
          <Facts facts={tokenFacts(data)} />
        </>
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

const tokenFacts = (token: OperatorToken): FactList => [
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
  { term: 'Akhir kunci', is: token.key_hint ? <Hash>…{token.key_hint}</Hash> : 'Belum ada' },
  { term: 'ID', is: <Hash>{token.id}</Hash> },
];

function TopupRecord({ accountId, id }: RecordProps) {
  const { operator_roles: roles } = useUser();
  const topup = useQuery(actQuery(getCustomerTopup, { account_id: accountId, topup_id: id }));
  return (
    <Loaded query={topup} lines={8}>
      {(data) => (
        <>
          <Facts facts={topupFacts(data)} />
          {maySee({ roles: ['money'] }, roles) && (
            <div className="flex wrap justify-end gap-8">
              <LinkButton
                to="/operator/isi-saldo"
                search={{ status: 'semua', open: data.id }}
                variant="outline"
              >
                Buka di Isi saldo
              </LinkButton>
            </div>
          )}
        </>
      )}
    </Loaded>
  );
}

const topupFacts = (topup: Topup): FactList => [
  {
    term: 'Status',
    is: <StatusChip tone={topupTone[topup.status]}>{topupStatusLabel[topup.status]}</StatusChip>,
  },
  { term: 'Cara', is: topupMethodLabel[topup.method] },
  { term: 'Dibayar', is: <Money amount={topup.total} /> },
  { term: 'Masuk ke saldo', is: <Money amount={topup.credited} /> },
  { term: 'Dibuat', is: <DateTime at={topup.created_at} /> },
  topup.paid_at && { term: 'Lunas', is: <DateTime at={topup.paid_at} /> },
  topup.status === 'pending' && { term: 'Berlaku sampai', is: <DateTime at={topup.expires_at} /> },
  { term: 'ID', is: <Hash>{topup.id}</Hash> },
];

function InvoiceRecord({ accountId, id }: RecordProps) {
  const invoice = useQuery(actQuery(getCustomerInvoice, { account_id: accountId, invoice_id: id }));
  return (
    <Loaded query={invoice} lines={8}>
      {(data) => <Facts facts={invoiceFacts(data)} />}
    </Loaded>
  );
}

const invoiceFacts = (invoice: Invoice): FactList => [
  { term: 'Nomor', is: invoice.number ?? 'Belum bernomor' },
  { term: 'Untuk', is: invoice.title },
  {
    term: 'Status',
    is: (
      <StatusChip tone={invoiceTone[invoice.status]}>
        {invoiceStatusLabel[invoice.status]}
      </StatusChip>
    ),
  },
  { term: 'Jumlah', is: <Money amount={invoice.total} /> },
  { term: 'Dibuat', is: <DateTime at={invoice.created_at} /> },
  invoice.due_at && { term: 'Jatuh tempo', is: <DateTime at={invoice.due_at} /> },
  invoice.paid_at && { term: 'Lunas', is: <DateTime at={invoice.paid_at} /> },
  { term: 'ID', is: <Hash>{invoice.id}</Hash> },
];

const records = {
  message: { title: 'Pesan', Record: MessageRecord },
  token: { title: 'Token', Record: TokenRecord },
  topup: { title: 'Isi saldo', Record: TopupRecord },
  invoice: { title: 'Tagihan', Record: InvoiceRecord },
} as const;
