import { useState } from 'react';
import { formatRupiah, rupiah } from '#contract/base/money.ts';
import { isolated } from '#contract/base/names.ts';
import {
  type SuspenseItem,
  annotateSuspense,
  creditSuspense,
  listSuspense,
  returnSuspense,
  type FlaggedPayment,
  type OpenRefund,
  finishRefund,
  listFlagged,
  listRefunds,
  settleFlag,
} from '#contract/operator/payments.ts';
import { Link } from '#web/browser/router/Link.tsx';
import {
  OperatorForm,
  proposalResult,
  TransferFields,
} from '#web/features/operator/OperatorForm.tsx';
import { By, Entry, Hash, OperatorFrame, Rows } from '#web/features/operator/OperatorFrame.tsx';
import {
  amountColumn,
  customerColumn,
  momentColumn,
  OperatorList,
} from '#web/features/operator/OperatorList.tsx';
import { paymentMethodLabels } from '#web/features/operator/topups/topups.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { Facts, type FactList } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { Tabs } from '#web/ui/tabs/Tabs.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { topupStatusLabel } from '#contract/saldo.ts';
import { GiveBack } from '#web/features/operator/suspense/GiveBack.tsx';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

const columns: readonly Column<SuspenseItem>[] = [
  customerColumn,
  momentColumn({ id: 'created_at', title: 'Diterima', sortable: true, at: ({ at }) => at }),
  amountColumn('amount', ({ amount }) => amount),
  {
    id: 'state',
    title: 'Status',
    width: 220,
    phone: 'note',
    cell: ({ waiting, notes }) => (
      <StatusChip tone={waiting ? 'warning' : 'info'}>
        {waiting ? 'Menunggu operator kedua' : notes.length > 0 ? 'Ada catatan' : 'Belum ditangani'}
      </StatusChip>
    ),
  },
];

const keyOf = ({ provider, txn }: SuspenseItem): string => `${provider} ${txn}`;

/** Route `/operator/suspense`: payments that belong to no saldo yet. */
export const SuspensePage = () => (
  <OperatorFrame
    title="Dana belum dikenali"
    context={
      <>
        Pembayaran yang datang setelah isi saldonya lunas. Uang ini milik pelanggan, bukan kita.
        Transfer yang tidak cocok dengan isi saldo mana pun ada di{' '}
        <Link to="/operator/mutasi-bank">Mutasi bank</Link>.
      </>
    }
  >
    <OperatorList
      to="/operator/suspense"
      act={listSuspense}
      caption="Dana belum dikenali"
      columns={columns}
      rowKey={keyOf}
      empty={{
        title: 'Tidak ada dana yang menunggu',
        text: 'Pembayaran kedua untuk isi saldo yang sama tampil di sini.',
      }}
      drawer={{
        name: 'Dana belum dikenali',
        title: ({ account_name }) => account_name,
        missing: 'Dana ini tidak lagi menunggu, atau ada di halaman lain.',
        children: (item, { close }) => <Item item={item} onDone={close} />,
      }}
    />
    <OpenRefunds />
    <FlaggedPayments />
  </OperatorFrame>
);

type FormProps = { item: SuspenseItem; onDone: () => void };

function Item({ item, onDone }: FormProps) {
  const [tab, setTab] = useState('saldo');
  const form = { item, onDone };
  return (
    <>
      <Facts
        facts={[
          { term: 'Jumlah', is: <Money amount={item.amount} /> },
          { term: 'Diterima', is: <DateTime at={item.at} /> },
          { term: 'Lewat', is: paymentMethodLabels[item.provider] ?? item.provider },
          { term: 'Isi saldo', is: <Hash>{item.topup_id}</Hash> },
          // A bank entry has no number of its own: its internal reference means nothing to people.
          item.provider !== 'bank' && { term: 'Transaksi', is: <Hash>{item.txn}</Hash> },
        ]}
      />
      {item.notes.length > 0 && (
        <Rows label="Catatan">
          {item.notes.map(({ note, operator, at }) => (
            <Entry key={at.toISOString()} small={<By name={operator} at={at} />}>
              {note}
            </Entry>
          ))}
        </Rows>
      )}
      {item.waiting ? (
        <p className="muted">
          Usulan untuk dana ini menunggu operator kedua di halaman Penyesuaian.
        </p>
      ) : (
        <Tabs
          label="Yang dilakukan dengan dana ini"
          value={tab}
          onChange={setTab}
          tabs={[
            { value: 'saldo', label: 'Masukkan ke saldo', content: <Credit {...form} /> },
            { value: 'kembali', label: 'Kembalikan', content: <Return {...form} /> },
            { value: 'catat', label: 'Simpan dulu', content: <Keep {...form} /> },
          ]}
        />
      )}
    </>
  );
}

const Credit = ({ item: { provider, txn, amount, account_name }, onDone }: FormProps) => (
  <OperatorForm
    act={creditSuspense}
    initial={{ reason: '' }}
    inputOf={({ reason }) => ({ provider, txn, reason })}
    question={() => ({
      title: 'Masukkan ke saldo?',
      text: `${formatRupiah(amount)} masuk ke saldo ${isolated(account_name)}.`,
      button: 'Masukkan',
    })}
    said={proposalResult}
    onDone={onDone}
    actions="Masukkan ke saldo"
  />
);

const Return = ({ item: { provider, txn, amount }, onDone }: FormProps) => (
  <OperatorForm
    act={returnSuspense}
    initial={{ reference: '', payee: '', reason: '' }}
    inputOf={(values) => ({ provider, txn, ...values })}
    question={({ payee }) => ({
      title: 'Bukukan pengembalian?',
      text: `${formatRupiah(amount)} dicatat sudah ditransfer ke rekening atas nama ${payee}.`,
      button: 'Bukukan',
    })}
    said={proposalResult}
    onDone={onDone}
    actions="Kembalikan ke pengirim"
  >
    {(form) => <TransferFields form={form} payeeHelp="Rekening asal pembayarannya." />}
  </OperatorForm>
);

const Keep = ({ item: { provider, txn }, onDone }: FormProps) => (
  <OperatorForm
    act={annotateSuspense}
    initial={{ reason: '' }}
    inputOf={({ reason }) => ({ provider, txn, reason })}
    question={() => ({
      title: 'Simpan dengan catatan?',
      text: 'Dana tetap di sini sampai ada yang menyelesaikannya.',
      button: 'Simpan',
    })}
    said="Catatan disimpan."
    onDone={onDone}
    actions="Simpan catatan"
    look={{ variant: 'outline', tone: 'primary' }}
  />
);

const refundColumns: readonly Column<OpenRefund>[] = [
  customerColumn,
  momentColumn({ id: 'since', title: 'Sejak', at: ({ since }) => since }),
  amountColumn('amount', ({ amount }) => amount),
  {
    id: 'way',
    title: 'Status',
    width: 220,
    phone: 'note',
    cell: ({ way }) => (
      <StatusChip tone={way === 'manual' ? 'warning' : 'info'}>
        {way === 'manual' ? 'Perlu ditransfer' : 'Menunggu gerbang'}
      </StatusChip>
    ),
  },
];

const flaggedColumns: readonly Column<FlaggedPayment>[] = [
  customerColumn,
  momentColumn({ id: 'at', title: 'Ditandai', at: ({ at }) => at }),
  amountColumn('total', ({ total }) => total),
  {
    id: 'kind',
    title: 'Status',
    width: 220,
    phone: 'note',
    cell: ({ kind }) => (
      <StatusChip tone="danger">{kind === 'refunded' ? 'Ditarik' : 'Sebagian ditarik'}</StatusChip>
    ),
  },
  {
    id: 'provider',
    title: 'Lewat',
    width: 120,
    phone: 'fact',
    cell: ({ provider }) => paymentMethodLabels[provider] ?? provider,
  },
];

/** Refunds that have not reached their payers yet. */
const OpenRefunds = () => (
  <OperatorList
    to="/operator/suspense"
    openField="refund"
    pageField="refund_page"
    act={listRefunds}
    title="Pengembalian dana"
    caption="Pengembalian dana yang belum sampai"
    columns={refundColumns}
    rowKey={({ id }) => id}
    empty={{
      title: 'Tidak ada pengembalian yang menunggu',
      text: 'Pembayaran dikembalikan dari rincian isi saldo yang lunas.',
    }}
    drawer={{
      name: 'Pengembalian dana',
      title: ({ account_name }) => account_name,
      missing: 'Pengembalian ini sudah selesai, atau ada di halaman lain.',
      children: (refund, { close }) => <Refund refund={refund} onDone={close} />,
    }}
  />
);

/** Payments that their gateways have taken back. */
const FlaggedPayments = () => (
  <OperatorList
    to="/operator/suspense"
    openField="flag"
    pageField="flag_page"
    act={listFlagged}
    title="Ditarik di gerbang pembayaran"
    caption="Pembayaran yang ditarik di gerbang pembayaran"
    columns={flaggedColumns}
    rowKey={({ topup_id }) => topup_id}
    empty={{
      title: 'Tidak ada yang ditarik',
      text: 'Pembayaran yang dikembalikan atau disengketakan lewat gerbangnya sendiri tampil di sini.',
    }}
    drawer={{
      name: 'Ditarik di gerbang',
      title: ({ account_name }) => account_name,
      missing: 'Penarikan ini sudah selesai, atau ada di halaman lain.',
      children: (payment, { close }) => (
        <>
          <Facts facts={flagFacts(payment)} />
          <Acts payment={payment} onDone={close} />
        </>
      ),
    }}
  />
);

type RefundProps = { refund: OpenRefund; onDone: () => void };

const Refund = ({ refund, onDone }: RefundProps) => (
  <>
    <Facts
      facts={[
        { term: 'Jumlah', is: <Money amount={refund.amount} /> },
        { term: 'Sejak', is: <DateTime at={refund.since} /> },
        { term: 'Oleh', is: refund.operator },
        { term: 'Isi saldo', is: <Hash>{refund.topup_id}</Hash> },
        { term: 'Nomor', is: <Hash>{refund.id}</Hash> },
      ]}
    />
    {refund.way === 'manual' ? (
      <OperatorForm
        act={finishRefund}
        initial={{ reference: '' }}
        inputOf={({ reference }) => ({ refund_id: refund.id, reference })}
        question={() => ({
          title: 'Catat pengembalian selesai?',
          text: `${formatRupiah(refund.amount)} dicatat sudah ditransfer ke pembayar ${isolated(refund.account_name)}.`,
          button: 'Catat',
        })}
        said="Pengembalian dicatat selesai."
        onDone={onDone}
        actions="Sudah ditransfer"
      >
        {({ field }) => (
          <TextField
            label="Referensi transfer dari bank"
            required
            autoComplete="off"
            maxLength={100}
            help="Transfer dulu di bank ke rekening pembayar, lalu tulis referensinya."
            {...field('reference')}
          />
        )}
      </OperatorForm>
    ) : (
      <p className="muted">
        Gerbang pembayaran belum menjawab dan ditanya lagi setiap menit. Jangan transfer manual:
        uangnya akan kembali dua kali.
      </p>
    )}
  </>
);

const gatewayOf = ({ provider }: FlaggedPayment): string =>
  paymentMethodLabels[provider] ?? provider;

function flagFacts(payment: FlaggedPayment): FactList {
  const { kind, total, returned } = payment;
  const isPartly = kind === 'partly_refunded';
  return [
    { term: 'Jumlah', is: <Money amount={total} /> },
    { term: 'Masuk ke saldo', is: <Money amount={payment.credited} /> },
    isPartly && {
      term: 'Kembali ke pembayar',
      is: returned === null ? 'Sebagian, jumlahnya tidak disebut' : <Money amount={returned} />,
    },
    isPartly &&
      returned !== null && { term: 'Tersisa', is: <Money amount={rupiah(total - returned)} /> },
    { term: 'Lewat', is: gatewayOf(payment) },
    { term: 'Status', is: topupStatusLabel[payment.status] },
    { term: 'Ditandai', is: <DateTime at={payment.at} /> },
    { term: 'Isi saldo', is: <Hash>{payment.topup_id}</Hash> },
  ];
}

type ActsProps = { payment: FlaggedPayment; onDone: () => void };

function Acts({ payment, onDone }: ActsProps) {
  const gateway = gatewayOf(payment);
  if (payment.status !== 'paid') {
    return (
      <>
        <p className="muted">
          Saldonya belum bertambah. Periksa di dasbor {gateway}, lalu tolak isi saldo ini.
        </p>
        <div className="flex wrap justify-end gap-8">
          <LinkButton
            variant="outline"
            tone="primary"
            to="/operator/isi-saldo"
            search={{ open: payment.topup_id, status: 'review' }}
          >
            Buka isi saldo
          </LinkButton>
        </div>
      </>
    );
  }
  if (payment.kind === 'partly_refunded') {
    return (
      <>
        <p className="muted">
          Sebagian uangnya sudah kembali ke pembayar, jadi pembayaran ini tidak dapat dikembalikan
          seluruhnya. Periksa di dasbor {gateway}, sesuaikan saldonya di halaman pelanggannya, lalu
          tandai selesai.
        </p>
        <SettleFlag payment={payment} onDone={onDone} />
      </>
    );
  }
  return <OfWhole payment={payment} onDone={onDone} />;
}

function OfWhole({ payment, onDone }: ActsProps) {
  const [tab, setTab] = useState('kembali');
  return (
    <>
      <p className="muted">
        Periksa dulu di dasbor {gatewayOf(payment)}. Bila seluruhnya sudah kembali ke pembayar,
        kembalikan pembayarannya di sini: saldo dikurangi, dan gerbang tidak membayar lagi. Bila
        masih sengketa, tunggu keputusannya. Bila uangnya tetap pada kita, atau saldonya sudah
        disesuaikan, tandai selesai.
      </p>
      <Tabs
        label="Yang dilakukan dengan penarikan ini"
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'kembali',
            label: 'Kembalikan',
            content: <GiveBack topup={{ ...payment, id: payment.topup_id }} onDone={onDone} />,
          },
          {
            value: 'selesai',
            label: 'Tandai selesai',
            content: <SettleFlag payment={payment} onDone={onDone} />,
          },
        ]}
      />
    </>
  );
}

const SettleFlag = ({ payment, onDone }: ActsProps) => (
  <OperatorForm
    act={settleFlag}
    initial={{ reason: '' }}
    inputOf={({ reason }) => ({
      topup_id: payment.topup_id,
      flagged_at: payment.at.toISOString(),
      reason,
    })}
    question={() => ({
      title: 'Tandai penarikan ini selesai?',
      text: 'Tidak ada uang yang berpindah. Penarikan ini hilang dari daftar; bila gerbangnya menarik lagi, ia tampil kembali.',
      button: 'Tandai selesai',
    })}
    said="Penarikan ditandai selesai."
    onDone={onDone}
    actions="Tandai selesai"
    look={{ variant: 'outline', tone: 'primary' }}
  />
);
