import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { listPlanDetails } from '#contract/operator/books.ts';
import {
  type FoundCustomer,
  customerStateLabel,
  findCustomers,
  type OperatorCustomerDetail,
  endCustomerSessions,
  getCustomer,
  type OperatorMessage,
  type OperatorToken,
  getCustomerInvoice,
  getCustomerMessage,
  getCustomerToken,
  getCustomerTopup,
  readCustomerMessage,
} from '#contract/operator/customers.ts';
import { subscriptionStatusLabel, invoiceStatusLabel, type Invoice } from '#contract/billing.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import styles from '#web/features/operator/operator.module.css';
import { goCustomers, stateTone, recordKinds } from '#web/features/operator/customers/customers.ts';
import {
  OperatorFrame,
  Entry,
  Loaded,
  Rows,
  Hash,
  RecordDrawer,
} from '#web/features/operator/OperatorFrame.tsx';
import { momentColumn, OperatorList } from '#web/features/operator/OperatorList.tsx';
import { optionsOf } from '#web/ui/select/options.ts';
import { actQuery } from '#web/features/operator/operatorQuery.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { TextField } from '#web/ui/text/TextField.tsx';
import { ArrowLeft } from 'lucide-react';
import { formatNumber } from '#contract/base/money.ts';
import { isolated } from '#contract/base/names.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { formatAgo } from '#contract/base/time.ts';
import { failures as failureSentences, failures } from '#contract/messages/failures.ts';
import { entryKindLabel, topupStatusLabel, type Topup, topupMethodLabel } from '#contract/saldo.ts';
import { tokenStatusLabel } from '#contract/tokens.ts';
import { useUser } from '#web/api/user.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { invoiceTone } from '#web/features/billing/billing.ts';
import {
  type Action,
  ActionDrawer,
  ActionMenu,
} from '#web/features/operator/customers/actions.tsx';
import { maySee, SUPPORT_INBOX } from '#web/features/operator/operator.ts';
import { classes } from '#web/ui/classes.ts';
import { useConfirmedAct, OperatorForm } from '#web/features/operator/OperatorForm.tsx';
import { topupTone } from '#web/features/saldo/saldo.ts';
import { statusTone, channelLabel } from '#web/features/tokens/tokens.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { Stat, Stats } from '#web/ui/chart/Stat.tsx';
import { Panel, Stack, type FactList, Facts } from '#web/ui/panel/Panel.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { messageTypeLabel } from '#contract/messages.ts';
import { StatusMark, timelineEntries } from '#web/features/messages/messages.ts';
import { Timeline } from '#web/ui/status/Timeline.tsx';

/** Route `/operator/pelanggan`: the customers; or with `open`, one of them. */
export function CustomersPage() {
  const { open } = useSearch('/operator/pelanggan');
  return open === undefined ? <CustomerList /> : <CustomerPage key={open} accountId={open} />;
}

const foundLabel: Record<NonNullable<FoundCustomer['found']>['kind'], string> = {
  message: 'Pesan ini',
  token: 'Token ini',
  topup: 'Isi saldo ini',
  invoice: 'Tagihan ini',
};

const columns: readonly Column<FoundCustomer>[] = [
  {
    id: 'name',
    title: 'Pelanggan',
    width: 240,
    sortable: true,
    phone: 'title',
    cell: ({ name, found }) => (
      <span className={styles['what']}>
        {name}
        {found && <span className="small faint regular">{foundLabel[found.kind]} miliknya</span>}
      </span>
    ),
  },
  {
    id: 'phone',
    title: 'Nomor',
    width: 170,
    phone: 'line',
    cell: ({ phone }) => <span className="num">{phone || '—'}</span>,
  },
  {
    id: 'plan',
    title: 'Paket',
    width: 150,
    phone: 'fact',
    cell: ({ plan }) => {
      if (!plan) return '—';
      const isPaid = plan.status === 'active' || plan.status === 'cancelled';
      return isPaid
        ? plan.name
        : `${plan.name}, ${subscriptionStatusLabel[plan.status].toLowerCase()}`;
    },
  },
  {
    id: 'available',
    title: 'Saldo',
    align: 'end',
    whole: true,
    sortable: true,
    phone: 'aside',
    cell: ({ available }) => <Money amount={available} />,
  },
  momentColumn({
    id: 'created_at',
    title: 'Terdaftar',
    sortable: true,
    phone: 'hidden',
    at: ({ created_at }) => created_at,
  }),
  {
    id: 'state',
    title: 'Status',
    width: 150,
    phone: 'note',
    cell: ({ state }) => (
      <StatusChip tone={stateTone[state]}>{customerStateLabel[state]}</StatusChip>
    ),
  },
];

const states = optionsOf('Semua status', customerStateLabel);

const saldos = optionsOf('Semua saldo', {
  empty: 'Saldo habis',
  low: 'Di bawah Rp 50.000',
  ample: 'Rp 50.000 ke atas',
});

function CustomerList() {
  const { q, state, plan, saldo } = useSearch('/operator/pelanggan');
  const { data } = useQuery(actQuery(listPlanDetails, {}));
  const plans = [
    { value: '', label: 'Semua paket' },
    ...(data?.plans ?? []).map(({ code, name }) => ({ value: code, label: name })),
  ];
  return (
    <OperatorFrame title="Pelanggan" context="Cari dengan apa pun yang disebut pelanggan.">
      <OperatorList
        to="/operator/pelanggan"
        act={findCustomers}
        input={{ q, state, plan, saldo }}
        caption="Pelanggan"
        columns={columns}
        rowKey={({ account_id }) => account_id}
        search={<Search key={q ?? ''} q={q ?? ''} />}
        filters={[
          { name: 'state', label: 'Status', options: states },
          { name: 'plan', label: 'Paket', options: plans },
          { name: 'saldo', label: 'Saldo', options: saldos },
        ]}
        resets={['q', 'state', 'plan', 'saldo']}
        reset="Hapus pencarian dan filter"
        empty={{
          title: 'Belum ada pelanggan',
          text: 'Pelanggan tampil di sini setelah mendaftar.',
        }}
        onOpen={({ account_id, found }) =>
          goCustomers({ open: account_id, ...(found && { [found.kind]: found.id }) }, { top: true })
        }
      />
    </OperatorFrame>
  );
}

/** Searches on Enter: each letter would be a search through all customers. */
function Search({ q }: { q: string }) {
  const [typed, setTyped] = useState(q);
  const ask = (words: string) => goCustomers({ q: words.trim() || undefined, page: undefined });
  return (
    <form
      role="search"
      className="max-w-672 mb-12"
      onSubmit={(event) => {
        event.preventDefault();
        ask(typed);
      }}
    >
      <TextField
        label="Cari pelanggan"
        name="q"
        type="search"
        autoComplete="off"
        maxLength={100}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onClear={() => ask('')}
        help="Nama, nomor, ID pesan, nomor tagihan, ID isi saldo, atau empat huruf akhir kunci; lalu Enter."
      />
    </form>
  );
}

const AUDIT = '/operator/audit';

function CustomerPage({ accountId }: { accountId: string }) {
  const customer = useQuery(actQuery(getCustomer, { account_id: accountId }));
  const [action, setAction] = useState<Action>();
  const { data } = customer;
  return (
    <OperatorFrame
      title={data?.name ?? 'Pelanggan'}
      context={data && <Identity customer={data} />}
      action={data && <ActionMenu customer={data} onChoose={setAction} />}
    >
      <Link
        to="/operator/pelanggan"
        className={classes('inline-flex align-center gap-6', styles['back'])}
      >
        <ArrowLeft size={16} /> Semua pelanggan
      </Link>
      <Loaded query={customer} lines={14}>
        {(found) => <Customer customer={found} />}
      </Loaded>
      {data && action && (
        <ActionDrawer action={action} customer={data} onClose={() => setAction(undefined)} />
      )}
      <CustomerRecord accountId={accountId} />
    </OperatorFrame>
  );
}

type Props = { customer: OperatorCustomerDetail };

function Identity({ customer: { phone, account_id, state } }: Props) {
  const { operator_roles: roles } = useUser();
  return (
    <span className={classes('flex wrap align-baseline gap-4 gap-x-16', styles['identity'])}>
      <StatusChip tone={stateTone[state]}>{customerStateLabel[state]}</StatusChip>
      <span className="num">{phone || 'Tanpa nomor'}</span>
      <span className={classes('small', styles['hash'])}>{account_id}</span>
      {maySee({ roles: ['support'] }, roles) && (
        <a href={`${SUPPORT_INBOX}?open=${account_id}`}>Percakapan</a>
      )}
      {maySee({ roles: [] }, roles) && <a href={`${AUDIT}?account=${account_id}`}>Catatan audit</a>}
    </span>
  );
}

function Customer({ customer }: Props) {
  return (
    <>
      <Restrictions customer={customer} />
      <Figures customer={customer} />
      <div className={styles['columns']}>
        <Stack gap={32}>
          <Failures customer={customer} />
          <Tokens customer={customer} />
          <Sessions customer={customer} />
          <Steps customer={customer} />
        </Stack>
        <Stack gap={32}>
          <Entries customer={customer} />
          <Topups customer={customer} />
          <Invoices customer={customer} />
        </Stack>
      </div>
    </>
  );
}

function Restrictions({ customer }: Props) {
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
      {bonus_only && <p className="muted">Saldo bonus: hanya simulator dan nomor sendiri.</p>}
    </>
  );
}

function Figures({ customer }: Props) {
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

const Failures = ({ customer: { failures } }: Props) => (
  <Panel title="Gagal terakhir">
    <Rows none="Tidak ada pesan yang gagal.">
      {failures.map(({ message_id, token, peer, failure, at }) => (
        <Entry
          key={message_id}
          small={
            <>
              Ke <span className="num">{peer}</span> dari {token}
            </>
          }
          end={<Moment at={at} />}
        >
          <Open onClick={() => goCustomers({ message: message_id })}>
            {failureSentences[failure]}
          </Open>
        </Entry>
      ))}
    </Rows>
  </Panel>
);

const Moment = ({ at }: { at: Date }) => (
  <span className="small faint regular">
    <DateTime at={at} />
  </span>
);

const Tokens = ({ customer: { tokens } }: Props) => (
  <Panel title="Token">
    <Rows none="Belum ada token.">
      {tokens.map(({ id, name, status, phone, sent_today, daily_limit, key_hint }) => (
        <Entry
          key={id}
          small={
            <>
              {phone && <span className="num">{formatPhone(phone)} · </span>}
              {formatNumber(sent_today)} dari {formatNumber(daily_limit)} hari ini ·{' '}
              {key_hint ? `kunci …${key_hint}` : 'belum ada kunci'}
            </>
          }
          end={<StatusChip tone={statusTone[status]}>{tokenStatusLabel[status]}</StatusChip>}
        >
          <Open onClick={() => goCustomers({ token: id })}>{name}</Open>
        </Entry>
      ))}
    </Rows>
  </Panel>
);

/** The sessions of a customer's people; support operators may end them. */
function Sessions({ customer }: Props) {
  const { timezone, operator_roles: roles } = useUser();
  const ask = useConfirmedAct(endCustomerSessions);
  const { sessions, account_id, name } = customer;
  const mayEnd = maySee({ roles: ['support'] }, roles);
  const end = (session?: { id: string; device: string }) =>
    ask(
      { account_id, ...(session && { session_id: session.id }) },
      {
        title: session ? `Akhiri sesi ${session.device}?` : 'Akhiri semua sesi?',
        text: `${isolated(name)} harus masuk lagi dengan kata sandi dan kode.`,
        button: 'Akhiri',
        tone: 'danger',
        said: 'Sesi diakhiri.',
      },
    );
  return (
    <Panel
      title="Sesi"
      tools={
        mayEnd &&
        sessions.length > 1 && (
          <Button size="sm" variant="subtle" tone="danger" onClick={() => end()}>
            Akhiri semua
          </Button>
        )
      }
    >
      <Rows none="Tidak sedang masuk di mana pun.">
        {sessions.map((session) => (
          <Entry
            key={session.id}
            small={
              <>
                {formatAgo(session.last_used_at, undefined, timezone)} dari{' '}
                <span className="num">{session.ip}</span>
              </>
            }
            end={
              mayEnd && (
                <Button
                  size="sm"
                  variant="outline"
                  aria-label={`Akhiri sesi ${session.device} dari ${session.ip}`}
                  onClick={() => end(session)}
                >
                  Akhiri
                </Button>
              )
            }
          >
            {session.device}
          </Entry>
        ))}
      </Rows>
    </Panel>
  );
}

function Steps({ customer: { suspensions, freezes } }: Props) {
  const steps = [
    ...suspensions.map(({ becomes, ...step }) => ({
      ...step,
      what: becomes === 'suspended' ? 'Akun ditangguhkan' : 'Akun diaktifkan kembali',
    })),
    ...freezes.map(({ frozen, ...step }) => ({
      ...step,
      what: frozen ? 'Saldo dibekukan' : 'Pembekuan dibuka',
    })),
  ].toSorted((a, b) => b.at.getTime() - a.at.getTime());
  if (steps.length === 0) return null;
  return (
    <Panel title="Penangguhan dan pembekuan">
      <Rows>
        {steps.map(({ what, reason, operator, at }) => (
          <Entry key={`${what} ${at.toISOString()}`} note={reason} end={<Moment at={at} />}>
            {what} oleh {operator}
          </Entry>
        ))}
      </Rows>
    </Panel>
  );
}

const Entries = ({ customer: { entries } }: Props) => (
  <Panel title="Mutasi terakhir">
    <Rows none="Belum ada mutasi.">
      {entries.map(({ seq, kind, amount, memo, at }) => (
        <Entry
          key={seq}
          small={
            <>
              {memo && `${memo} · `}
              <DateTime at={at} />
            </>
          }
          end={<Money amount={amount} />}
        >
          {entryKindLabel[kind]}
        </Entry>
      ))}
    </Rows>
  </Panel>
);

const Topups = ({ customer: { topups } }: Props) => (
  <Panel title="Isi saldo terakhir">
    <Rows none="Belum pernah mengisi saldo.">
      {topups.map(({ id, status, total, at }) => (
        <Entry
          key={id}
          small={<DateTime at={at} />}
          end={<StatusChip tone={topupTone[status]}>{topupStatusLabel[status]}</StatusChip>}
        >
          <Open onClick={() => goCustomers({ topup: id })}>
            <Money amount={total} />
          </Open>
        </Entry>
      ))}
    </Rows>
  </Panel>
);

const Invoices = ({ customer: { invoices } }: Props) => (
  <Panel title="Tagihan terakhir">
    <Rows none="Belum ada tagihan.">
      {invoices.map(({ id, number, title, status, total, at }) => (
        <Entry
          key={id}
          small={
            <>
              {number ?? 'Belum bernomor'} · <DateTime at={at} />
            </>
          }
          end={
            <span
              className={classes('flex wrap align-baseline gap-4 gap-x-16', styles['identity'])}
            >
              <Money amount={total} />
              <StatusChip tone={invoiceTone[status]}>{invoiceStatusLabel[status]}</StatusChip>
            </span>
          }
        >
          <Open onClick={() => goCustomers({ invoice: id })}>{title}</Open>
        </Entry>
      ))}
    </Rows>
  </Panel>
);

type RecordProps = { accountId: string; id: string };

/** The record that the address names, in a drawer over its customer's page. */
function CustomerRecord({ accountId }: { accountId: string }) {
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
const Open = ({ onClick, children }: { onClick: () => void; children: ReactNode }) => (
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
